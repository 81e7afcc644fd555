import type { NackDetail } from '@/lib/api/nacks';
import { formatCounted } from '@/lib/format/count';
import { NameText } from '../../../_components/name-text';
import { Panel } from '../../../_components/panel';

/** What was new in the same response and was taken nevertheless. */
export function AcceptedBeside({ nack: { accepted } }: { readonly nack: NackDetail }) {
  return (
    <Panel
      title="Accepted from the same response"
      vantage={accepted === null ? 'not reported' : 'who saw the response'}
    >
      {accepted === null ? (
        <p className="text-muted">
          Not reported: CSDS reports resources one by one. A tap or a probe sees whole responses.
        </p>
      ) : accepted.total === 0 ? (
        <p className="text-muted">Nothing: whatever else the response had, the client held already.</p>
      ) : (
        <>
          <ul className="flex max-h-40 flex-col gap-0.5 overflow-y-auto">
            {accepted.names.map((name) => (
              <li key={name}>
                <NameText name={name} maxChars={60} />
              </li>
            ))}
          </ul>
          {accepted.total > accepted.names.length && (
            <p className="mt-1 text-[0.8571rem] text-muted">
              and {formatCounted(accepted.total - accepted.names.length, 'resource')} more
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
