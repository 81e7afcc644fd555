'use client';

import Link from 'next/link';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { compareHref } from '@/app/_components/compare-href';
import { ErrorState } from '@/app/_components/error-state';
import { PropagationStateText } from '@/app/_components/propagation/propagation-state-text';
import { Skeleton } from '@/app/_components/skeleton';
import type { PropagationPage, PropagationRow } from '@/lib/api/propagation';
import type { ResourceKey } from '@/lib/observation/observation';
import { placeTexts } from '@/lib/sync/describe-mismatch';
import { type PropagationPlace, propagationPlaces } from '@/lib/sync/propagation-state';
import { clientAddress, type DiffAddress } from '@/lib/view-model/compare/diff-address';

interface PropagationSectionProps {
  readonly resource: ResourceKey;
}

/** Of one resource: the four sides, and the first that reports something else. */
export function PropagationSection({ resource: { typeUrl: type, name } }: PropagationSectionProps) {
  const { data, error, refetch } = useQuestion('propagation', { type, name });
  if (data === undefined && error !== null) {
    return (
      <ErrorState title="The four sides could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === undefined) return <Skeleton waitsFor="what the four sides report" rows={2} />;
  const row = data.items.find((each) => each.name === name);
  if (row === undefined) return null;
  return (
    <section aria-label="On its way" className="flex flex-col gap-1.5">
      <h3 className="text-[0.8571rem] font-semibold">On its way</h3>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-1.5 min-[30rem]:grid-cols-4">
        {propagationPlaces.map((place) => (
          <div key={place} className="min-w-0">
            <dt className="text-[0.7857rem] text-muted">{placeTexts[place].heading}</dt>
            <dd className="min-w-0 text-[0.9286rem]">
              <PropagationStateText
                place={place}
                word={row.states[place]}
                isSpoken={data.sources[place] !== null}
                isOther={row.firstMismatch?.to === place}
              />
            </dd>
          </div>
        ))}
      </dl>
      <Verdict row={row} />
      <CompareBodies row={row} sources={data.sources} />
    </section>
  );
}

function Verdict({ row: { firstMismatch, compared } }: { readonly row: PropagationRow }) {
  if (firstMismatch !== null) return <p className="text-[0.8571rem] text-nacked">{firstMismatch.text}.</p>;
  return (
    <p className="text-[0.8571rem] text-muted">
      {compared > 1 ? `The ${compared} that report it agree.` : 'One side alone reports it.'}
    </p>
  );
}

interface CompareBodiesProps extends Pick<PropagationPage, 'sources'> {
  readonly row: PropagationRow;
}

/** What exactly is other, between the two sides of the hop. */
function CompareBodies({ row, sources }: CompareBodiesProps) {
  const { subject, snapshotAt } = useClientViewData();
  const at = 'clientId' in subject ? (subject.at ?? '') : (snapshotAt ?? '');
  const { firstMismatch, states } = row;
  if (
    firstMismatch === null ||
    states[firstMismatch.from]?.hash == null ||
    states[firstMismatch.to]?.hash == null
  )
    return null;
  const [left, right] = [firstMismatch.from, firstMismatch.to].map((place) => addressOf(place, sources, at));
  if (left == null || right == null) return null;
  return (
    <Link
      href={compareHref(left, right, row)}
      prefetch={false}
      className="text-[0.8571rem] text-accent underline underline-offset-2"
    >
      Compare the two bodies
    </Link>
  );
}

function addressOf(
  place: PropagationPlace,
  sources: PropagationPage['sources'],
  at: string,
): DiffAddress | null {
  const speaker = sources[place];
  if (speaker === null) return null;
  return { ...clientAddress(speaker.clientId, at), side: place === 'controlPlane' ? 'control-plane' : null };
}
