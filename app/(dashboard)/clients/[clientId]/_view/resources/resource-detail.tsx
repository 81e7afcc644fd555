import { StatusMark } from '@/app/_components/status-mark';
import type { ResourceRowJson } from '@/lib/api/schema';
import { findDisagreement } from '@/lib/view-model/client-resources/find-disagreement';

/** The line under a row that has something to say: why it was rejected, and where the two sides differ. */
export function resourceDetail(row: ResourceRowJson) {
  const found = findDisagreement(row);
  // The same body under two versions is what every unchanged resource has after a push: the inspector says it.
  const disagreement = found?.kind === 'version-only' ? undefined : found;
  const error = row.errorState;
  // Where there is a reason it is the same one, reported in full.
  const ambient = error === null ? row.ambientError : undefined;
  if (error === null && ambient === undefined && disagreement === undefined) return null;
  return (
    <div className="flex flex-col gap-0.5 pl-[72px] text-[0.8571rem] max-md:pl-0">
      {error !== null && (
        <p className="line-clamp-4 break-words whitespace-pre-wrap">
          <StatusMark status={row.clientStatus} word={false} className="mr-1.5 align-middle" />
          {error.versionInfo !== '' && (
            <span className="text-muted">
              {row.clientStatus === 'NACKED' ? 'rejected version ' : 'version '}
              <span className="font-mono text-text">{error.versionInfo}</span>:{' '}
            </span>
          )}
          <span className="font-mono">{error.details === '' ? 'no reason reported' : error.details}</span>
        </p>
      )}
      {ambient !== undefined && (
        <p className="break-words text-timeout">
          Still in use, in spite of {ambient.code}: {ambient.details}
        </p>
      )}
      {disagreement !== undefined && <p className="break-words text-timeout">Differs: {disagreement.text}</p>}
    </div>
  );
}
