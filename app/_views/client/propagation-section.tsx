'use client';

import Link from 'next/link';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { compareHref } from '@/app/_components/compare-href';
import { MismatchText } from '@/app/_components/propagation/mismatch-text';
import { PropagationStateText } from '@/app/_components/propagation/propagation-state-text';
import { QueryContent } from '@/app/_components/query-content';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { placeTexts } from '@/lib/sync/describe-mismatch';
import { type PropagationPlace, propagationPlaces } from '@/lib/sync/propagation-state';
import { clientAddress, type DiffAddress } from '@/lib/views/compare/diff-address';
import type { PropagationPage, PropagationRow } from '@/lib/views/propagation/schema';

interface PropagationSectionProps {
  readonly resource: ResourceKey;
}

/** The places of one resource, and the first mismatch. */
export function PropagationSection({ resource: { typeUrl: type, name } }: PropagationSectionProps) {
  const query = useQuestion('propagation', { type, name });
  return (
    <QueryContent query={query} what="the propagation" rows={2}>
      {(data) => {
        const row = data.items.find((each) => each.name === name);
        return row === undefined ? null : <Places row={row} sources={data.sources} />;
      }}
    </QueryContent>
  );
}

function Places({ row, sources }: CompareBodiesProps) {
  return (
    <section aria-label="Propagation" className="flex flex-col gap-1.5">
      <h3 className="text-small font-semibold">Propagation</h3>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-1.5 min-[30rem]:grid-cols-4">
        {propagationPlaces.map((place) => (
          <div key={place} className="min-w-0">
            <dt className="text-tiny text-muted">{placeTexts[place].heading}</dt>
            <dd className="min-w-0 text-medium">
              <PropagationStateText
                place={place}
                word={row.states[place]}
                isReported={sources[place] !== undefined}
                mismatch={row.firstMismatch?.to === place ? row.firstMismatch : undefined}
              />
            </dd>
          </div>
        ))}
      </dl>
      <Verdict row={row} />
      <CompareBodies row={row} sources={sources} />
    </section>
  );
}

function Verdict({ row: { firstMismatch, compared } }: { readonly row: PropagationRow }) {
  if (firstMismatch !== undefined)
    return (
      <p className="text-small">
        <MismatchText mismatch={firstMismatch} />.
      </p>
    );
  return (
    <p className="note">{compared > 1 ? `All ${compared} sources match.` : 'Reported by one source only.'}</p>
  );
}

interface CompareBodiesProps extends Pick<PropagationPage, 'sources'> {
  readonly row: PropagationRow;
}

function CompareBodies({ row, sources }: CompareBodiesProps) {
  const { subject, snapshotAt } = useClientViewData();
  const stored = snapshotAt === null ? '' : formatIsoTime(snapshotAt);
  const at = 'clientId' in subject ? (subject.at ?? '') : stored;
  const { firstMismatch, states } = row;
  if (
    firstMismatch === undefined ||
    states[firstMismatch.from]?.hash == null ||
    states[firstMismatch.to]?.hash == null
  )
    return null;
  const [left, right] = [firstMismatch.from, firstMismatch.to].map((place) => addressOf(place, sources, at));
  if (left == null || right == null) return null;
  return (
    <Link href={compareHref(left, right, row)} prefetch={false} className="text-small link">
      Compare the contents
    </Link>
  );
}

function addressOf(
  place: PropagationPlace,
  sources: PropagationPage['sources'],
  at: string,
): DiffAddress | null {
  const reporter = sources[place];
  if (reporter === undefined) return null;
  return { ...clientAddress(reporter.clientId, at), side: place === 'controlPlane' ? 'control-plane' : null };
}
