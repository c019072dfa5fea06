/** The Markdown that facilitator notes are written in, as blocks: headings, paragraphs, lists, tables, code. */

export type Inline = { kind: 'text' | 'strong' | 'em' | 'code'; text: string };

export type Block =
  | { kind: 'heading'; level: number; text: Inline[] }
  | { kind: 'paragraph'; text: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; text: string };

const MARKS = /(`[^`]+`|\*\*[^*]+\*\*|_[^_\s][^_]*_(?!\w)|\*[^*\s][^*]*\*)/;

/** Emphasis and code; whatever is neither stays the text that it is. */
export function inline(text: string): Inline[] {
  return text.split(MARKS).flatMap((part): Inline[] => {
    if (part === '') return [];
    if (part.length > 2 && part.startsWith('`') && part.endsWith('`'))
      return [{ kind: 'code', text: part.slice(1, -1) }];
    if (part.length > 4 && part.startsWith('**') && part.endsWith('**'))
      return [{ kind: 'strong', text: part.slice(2, -2) }];
    if (part.length > 2 && MARKS.test(part)) return [{ kind: 'em', text: part.slice(1, -1) }];
    return [{ kind: 'text', text: part.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1') }];
  });
}

const ITEM = /^\s*(?:[-*]|\d+\.)\s+/;
const cells = (line: string): Inline[][] =>
  line
    .replace(/^\s*\||\|\s*$/g, '')
    .split('|')
    .map((cell) => inline(cell.trim()));

function listOf(lines: string[]): Block {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return { kind: 'list', ordered: /^\s*\d/.test(lines[0] ?? ''), items: items.map(inline) };
}

function blockOf(lines: string[]): Block[] {
  const [first = ''] = lines;
  const heading = /^(#{1,6})\s+(.*)$/.exec(first);
  if (heading) {
    const rest = lines.slice(1);
    const block: Block = {
      kind: 'heading',
      level: (heading[1] ?? '').length,
      text: inline(heading[2] ?? ''),
    };
    return rest.length > 0 ? [block, ...blockOf(rest)] : [block];
  }
  if (/^\s*\|/.test(first) && /^\s*\|?[\s:|-]+$/.test(lines[1] ?? ''))
    return [{ kind: 'table', head: cells(first), rows: lines.slice(2).map(cells) }];
  if (ITEM.test(first)) return [listOf(lines)];
  const list = lines.findIndex((line) => ITEM.test(line));
  const own = list === -1 ? lines : lines.slice(0, list);
  const paragraph: Block = { kind: 'paragraph', text: inline(own.join(' ')) };
  return list === -1 ? [paragraph] : [paragraph, listOf(lines.slice(list))];
}

/** Splits a text into its blocks. Fenced code is kept as it is. */
export function blocks(source: string): Block[] {
  const found: Block[] = [];
  let lines: string[] = [];
  let code: string[] | null = null;
  const flush = () => {
    if (lines.length > 0) found.push(...blockOf(lines));
    lines = [];
  };
  for (const line of source.split('\n')) {
    if (/^```/.test(line)) {
      if (code) found.push({ kind: 'code', text: code.join('\n') });
      else flush();
      code = code ? null : [];
    } else if (code) code.push(line);
    else if (line.trim() === '') flush();
    else lines.push(line);
  }
  flush();
  return found;
}
