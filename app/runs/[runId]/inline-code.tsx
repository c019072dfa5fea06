/** Text in which words between backticks are names: `pending`. Nothing else of it is markup. */
export function InlineCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
