import { ConfigStatusName } from '@/app/_components/inspector/config-status-text';
import { NoncesText } from '@/app/_components/inspector/nonces-text';
import { TimeAgo } from '@/app/_components/time-ago';
import type { ClientDetail, TypeSync } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';

const isBehind = ({ configStatus }: TypeSync): boolean =>
  configStatus === 'ERROR' || configStatus === 'STALE';

/** The sync status of each istiod: a summary, and the table by type on demand. */
export function SyncDetails({ sync }: { readonly sync: NonNullable<ClientDetail['sync']> }) {
  const behind = sync.flatMap(({ types }) => types).filter(isBehind);
  return (
    <details className="min-w-0 open:basis-full">
      <summary
        className={`w-fit cursor-pointer rounded hover:text-text ${behind.length > 0 ? 'text-timeout' : 'text-muted'}`}
      >
        istiod:{' '}
        {behind.length === 0
          ? 'in sync'
          : `${[...new Set(behind.map(({ service }) => service))].join(', ')} out of sync`}
        {sync.length > 1 && `, by ${formatCounted(sync.length, 'instance')}`}
      </summary>
      {sync.map(({ sourceId, freshness, types }) => (
        <section key={sourceId} className="mt-1 overflow-x-auto rounded-md border border-line bg-raised p-3">
          <h2 className="mb-1.5">
            <span className="font-mono break-all">{sourceId}</span>{' '}
            {freshness !== 'live' && <span className="text-timeout">{freshness}</span>}
          </h2>
          <table className="w-full border-collapse text-left">
            <thead className="text-muted">
              <tr>
                <th className="pr-4 pb-1 font-normal">Type</th>
                <th className="pr-4 pb-1 font-normal">State</th>
                <th className="pr-4 pb-1 font-normal">Sent</th>
                <th className="pb-1 font-normal">Nonces</th>
              </tr>
            </thead>
            <tbody>
              {types.map((type) => (
                <TypeLine key={type.typeUrl} type={type} />
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </details>
  );
}

function TypeLine({ type }: { readonly type: TypeSync }) {
  const { service, typeUrl, configStatus, lastUpdated, error, nonces } = type;
  return (
    <tr className="align-baseline">
      <td className="py-0.5 pr-4" title={typeUrl}>
        {service}
      </td>
      <td className="py-0.5 pr-4">
        <ConfigStatusName status={configStatus} />
        {error !== '' && <p className="max-w-prose wrap-anywhere">{error}</p>}
      </td>
      <td className="py-0.5 pr-4 whitespace-nowrap">
        <TimeAgo at={lastUpdated} never="never, or not reported" />
      </td>
      <td className="py-0.5">
        {nonces === undefined ? (
          <span className="text-muted">not reported</span>
        ) : (
          <NoncesText nonces={nonces} />
        )}
      </td>
    </tr>
  );
}
