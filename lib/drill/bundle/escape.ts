/** Text as HTML shows it: whatever it holds, it stays text, in an element and in a quoted attribute. */
export function escapeHtml(text: string): string {
  // Control characters have no meaning in HTML; XML readers of an SVG stumble over them.
  return text
    .replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
    .replace(/[^\t\n\r\x20-\uFFFD]/g, '\uFFFD');
}
