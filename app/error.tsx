'use client';

/** Shown where a page could not be made. In English, since the texts come with the page that failed. */
export default function PageError({
  error,
  retry,
}: {
  error: Error & { digest?: string };
  retry: () => void;
}) {
  return (
    <div className="mx-auto max-w-[720px] px-4 pt-16 pb-24 sm:px-7">
      <h1 className="text-[28px] font-[660] tracking-tight">This page could not be shown</h1>
      <p className="mt-2 text-soft">
        Nothing was changed by that. What is recorded of your runs is in the data directory, and the server’s
        log has the cause{error.digest ? ` under ${error.digest}` : ''}.
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        <button type="button" onClick={retry} className="button button-main">
          Try again
        </button>
        <a href="/environment" className="button">
          Look at the environment
        </a>
      </div>
    </div>
  );
}
