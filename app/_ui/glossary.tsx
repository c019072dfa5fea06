const TERMS = [
  ['ledger', 'The record of intent: what was to be done, and how far it is known to have come.'],
  ['target', 'The thing that is changed: a version, a ticket, a document.'],
  ['receipt', 'Proof that ties one operation to one change, written where the change was made.'],
  ['boundary', 'A named place beside a commit or a call, where a process can be stopped.'],
  ['effect', 'What the evidence says of the change: confirmed, absent or unknown.'],
  ['safeguard', 'One rule of a lab that can be switched off, to see what it prevents.'],
  ['invariant', 'A sentence that every sound run keeps, checked after every step.'],
  ['ground truth', 'Who really changed what. Used to judge; nobody who decides can read it.'],
] as const;

/** The words of a drill, one click away; the platform opens and closes it. */
export function Glossary() {
  return (
    <>
      <button type="button" popoverTarget="glossary" className="link">
        Words
      </button>
      <div
        id="glossary"
        popover="auto"
        role="dialog"
        aria-label="Words"
        className="card m-auto max-w-lg p-5 text-sm text-ink shadow-xl"
      >
        <dl className="grid gap-2.5 sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-x-4">
          {TERMS.map(([term, meaning]) => (
            <div key={term} className="contents">
              <dt className="font-[620]">{term}</dt>
              <dd className="text-soft">{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}
