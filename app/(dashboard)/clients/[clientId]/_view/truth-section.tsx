'use client';

import Link from 'next/link';
import { useQuestion } from '@/app/_ask/use-question';
import { compareHref } from '@/app/_components/compare-href';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { TruthWordText } from '@/app/_components/truth/truth-word-text';
import type { TruthPage, TruthRow } from '@/lib/api/truth';
import type { ResourceKey } from '@/lib/observation/observation';
import { clientAddress, type DiffAddress } from '@/lib/view-model/compare/diff-address';
import { placeNames } from '@/lib/view-model/truth/describe-hop';
import { type TruthPlace, truthPlaces } from '@/lib/view-model/truth/truth-word';
import { useClientViewData } from './client-view-data';

interface TruthSectionProps {
  readonly resource: ResourceKey;
}

/** Of one resource: the four sides, and the first that tells something else. */
export function TruthSection({ resource: { typeUrl: type, name } }: TruthSectionProps) {
  const { data, error, refetch } = useQuestion('truth', { type, name });
  if (data === undefined && error !== null) {
    return (
      <ErrorState title="The four sides could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === undefined) return <Skeleton waitsFor="what four sides tell" rows={2} />;
  const row = data.items.find((each) => each.name === name);
  if (row === undefined) return null;
  return (
    <section aria-label="On its way" className="flex flex-col gap-1.5">
      <h3 className="text-[0.8571rem] font-semibold">On its way</h3>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-1.5 min-[30rem]:grid-cols-4">
        {truthPlaces.map((place) => (
          <div key={place} className="min-w-0">
            <dt className="text-[0.7857rem] text-muted">{placeNames[place]}</dt>
            <dd className="min-w-0 text-[0.9286rem]">
              <TruthWordText
                place={place}
                word={row.words[place]}
                isSpoken={data.sources[place] !== null}
                isOther={row.firstHop?.to === place}
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

function Verdict({ row: { firstHop, compared } }: { readonly row: TruthRow }) {
  if (firstHop !== null) return <p className="text-[0.8571rem] text-nacked">{firstHop.text}.</p>;
  return (
    <p className="text-[0.8571rem] text-muted">
      {compared > 1 ? `The ${compared} that tell of it agree.` : 'One side alone tells of it.'}
    </p>
  );
}

interface CompareBodiesProps extends Pick<TruthPage, 'sources'> {
  readonly row: TruthRow;
}

/** What exactly is other, between the two sides of the hop. */
function CompareBodies({ row, sources }: CompareBodiesProps) {
  const { subject, frozenAt } = useClientViewData();
  const at = 'clientId' in subject ? (subject.at ?? '') : (frozenAt ?? '');
  const { firstHop, words } = row;
  if (firstHop === null || words[firstHop.from]?.hash == null || words[firstHop.to]?.hash == null)
    return null;
  const [left, right] = [firstHop.from, firstHop.to].map((place) => addressOf(place, sources, at));
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

function addressOf(place: TruthPlace, sources: TruthPage['sources'], at: string): DiffAddress | null {
  const speaker = sources[place];
  if (speaker === null) return null;
  return { ...clientAddress(speaker.clientId, at), side: place === 'controlPlane' ? 'control-plane' : null };
}
