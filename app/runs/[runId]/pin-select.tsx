'use client';

import { useRouter } from 'next/navigation';

interface Props {
  name: string;
  value: string;
  /** Each step's own words and the page that pins it. */
  options: { label: string; text: string; href: string }[];
}

/** Pins another step; the page's address says which. */
export function PinSelect({ name, value, options }: Props) {
  const { replace } = useRouter();
  return (
    <select
      aria-label={name}
      value={value}
      className="field no-print ml-auto w-auto min-w-0 max-w-[60%] text-[13px]"
      onChange={(event) => {
        const chosen = options.find((option) => option.label === event.target.value);
        if (chosen) replace(chosen.href, { scroll: false });
      }}
    >
      {options.map(({ label, text }) => (
        <option key={label} value={label}>
          {text}
        </option>
      ))}
    </select>
  );
}
