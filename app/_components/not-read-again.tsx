import { StaleBanner } from './stale-banner';

interface NotReadAgainProps {
  /** As in "The NACKs". */
  readonly what: string;
  /** What is shown; undefined: nothing yet, and then the error has a place of its own. */
  readonly data: unknown;
  readonly error: Error | null;
}

/** What is in sight was read before, and is not what it would be now. */
export function NotReadAgain({ what, data, error }: NotReadAgainProps) {
  if (data === undefined || error === null) return null;
  return (
    <StaleBanner>
      <strong className="font-semibold">{what} could not be read again:</strong> {error.message}
      {/[.?!]$/.test(error.message) ? '' : '.'} What follows was read before.
    </StaleBanner>
  );
}
