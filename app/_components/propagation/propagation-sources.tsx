import { NotReported } from '@/app/_components/bytes-text';
import { NameText } from '@/app/_components/name-text';
import { explainAbsence, placeTexts } from '@/lib/sync/describe-mismatch';
import { propagationPlaces } from '@/lib/sync/propagation-state';
import type { PropagationPage } from '@/lib/views/propagation/schema';

/** The source of each place, with a note if probes use other node IDs. */
export function PropagationSources({ sources }: Pick<PropagationPage, 'sources'>) {
  const nodeId = sources.client?.nodeId ?? sources.controlPlane?.nodeId;
  const others = [sources.sotw, sources.delta].filter(
    (probe) => probe !== undefined && probe.nodeId !== nodeId,
  );
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 text-small lg:grid-cols-4">
        {propagationPlaces.map((place) => {
          const reporter = sources[place];
          return (
            <div key={place} className="min-w-0">
              <dt className="text-muted">{placeTexts[place].heading}</dt>
              <dd className="min-w-0">
                {reporter === undefined ? (
                  <NotReported why={explainAbsence(place, false)} />
                ) : (
                  <>
                    <NameText name={reporter.sourceId} />
                    {reporter.freshness !== 'live' && (
                      <span className="block text-timeout">
                        {reporter.freshness}: {reporter.reason}
                      </span>
                    )}
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {others.length > 0 && (
        <p className="mt-1 text-tiny text-muted">
          Probes use their own node ID, so per-node config may legitimately differ.
        </p>
      )}
    </>
  );
}
