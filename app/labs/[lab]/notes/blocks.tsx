import { type Block, blocks, type Inline } from './markdown.ts';

function Line({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => {
    const key = `${index}${part.text}`;
    if (part.kind === 'strong')
      return (
        <strong key={key} className="font-[620]">
          {part.text}
        </strong>
      );
    if (part.kind === 'em') return <em key={key}>{part.text}</em>;
    if (part.kind === 'code') return <code key={key}>{part.text}</code>;
    return <span key={key}>{part.text}</span>;
  });
}

function List({ ordered, items }: Extract<Block, { kind: 'list' }>) {
  const Tag = ordered ? 'ol' : 'ul';
  return (
    <Tag className={`grid gap-1 pl-5 ${ordered ? 'list-decimal' : 'list-disc'}`}>
      {items.map((item) => (
        <li key={JSON.stringify(item)}>
          <Line parts={item} />
        </li>
      ))}
    </Tag>
  );
}

function Table({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-sm">
        <thead className="text-faint">
          <tr>
            {head.map((cell) => (
              <th key={JSON.stringify(cell)} scope="col" className="py-1 pr-4 font-normal">
                <Line parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={JSON.stringify(row)} className="border-t border-line-soft align-top">
              {row.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
                <td key={index} className="py-1.5 pr-4">
                  <Line parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return block.level <= 2 ? (
        <h2 className="mt-5 text-[17px] font-semibold tracking-tight">
          <Line parts={block.text} />
        </h2>
      ) : (
        <h3 className="mt-3 font-semibold">
          <Line parts={block.text} />
        </h3>
      );
    case 'list':
      return <List {...block} />;
    case 'table':
      return <Table {...block} />;
    case 'code':
      return <pre className="overflow-x-auto text-sm">{block.text}</pre>;
    case 'paragraph':
      return (
        <p>
          <Line parts={block.text} />
        </p>
      );
  }
}

/** Notes as they are written, without their title: the page has one. */
export function Notes({ source }: { source: string }) {
  const [first, ...rest] = blocks(source);
  const shown = first && !(first.kind === 'heading' && first.level === 1) ? [first, ...rest] : rest;
  return (
    <div className="grid max-w-[75ch] gap-2.5">
      {shown.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text does not move
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}
