import Link from 'next/link';
import { clientHref } from '@/app/_components/client-href';
import { Panel } from '@/app/_components/panel';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatName } from '@/lib/format/names/format-name';
import { describeAgainst } from '@/lib/views/check/describe-against';
import type { CheckAgainst, EffectChange } from '@/lib/views/check/schema';
import { nameOf } from '@/lib/xds/profile';

/** What the resources would change at the chosen client: routes, clusters and shares. */
export function AgainstPanel({ against }: { readonly against: CheckAgainst | undefined }) {
  if (against === undefined) return null;
  const { clientId, nodeId, profile, profileReason, listeners } = against;
  return (
    <Panel
      title={`What changes at ${formatName(nodeId) || '(empty node ID)'}`}
      vantage={`as ${nameOf(profile)}: ${profileReason}`}
      actions={
        <Link href={clientHref(clientId)} className="link text-small">
          Open the client
        </Link>
      }
    >
      <ul className="mb-2 flex flex-col gap-0.5">
        {describeAgainst(against).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {listeners.map(({ listener, changes, changesTotal, isCut }) => (
        <section key={listener} aria-label={`Listener ${listener}`} className="mt-3 first:mt-0">
          <h3 className="text-medium font-semibold">
            <span className="note">LDS</span> {formatName(listener)}
          </h3>
          {changes.length === 0 ? (
            <p className="text-muted">No route, cluster or share changes.</p>
          ) : (
            <ScrollFrame label={`Changes at ${listener}`}>
              <table className="w-full text-left text-small">
                <thead className="text-muted">
                  <tr>
                    <th className="py-1 pr-3 font-medium">Part</th>
                    <th className="py-1 pr-3 font-medium">Now</th>
                    <th className="py-1 font-medium">With the resources</th>
                  </tr>
                </thead>
                <tbody>
                  {changes.map((change, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: parts of routes can have equal names.
                    <ChangeRow key={`${change.what} ${change.at} ${at}`} change={change} />
                  ))}
                </tbody>
              </table>
            </ScrollFrame>
          )}
          {changesTotal > changes.length && (
            <p className="note">{formatCounted(changesTotal - changes.length, 'more change')} not listed.</p>
          )}
          {isCut && (
            <p className="note">
              The config has more than {formatCount(20_000)} parts; the first are compared.
            </p>
          )}
        </section>
      ))}
    </Panel>
  );
}

function ChangeRow({ change: { what, at, before, after } }: { readonly change: EffectChange }) {
  const named = what === 'config' ? 'the effective config' : what;
  return (
    <tr className="border-t border-line align-top">
      <td className="py-1 pr-3">
        <span className="text-muted">{named}</span> <span className="font-mono break-all">{at}</span>
      </td>
      <td className="py-1 pr-3 break-words">{before ?? <span className="text-muted">not there</span>}</td>
      <td className="py-1 break-words">{after ?? <span className="text-muted">not there</span>}</td>
    </tr>
  );
}
