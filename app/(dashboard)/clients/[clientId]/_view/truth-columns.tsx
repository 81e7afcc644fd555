import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { TimeAgo, timeAgoColumnPx } from '@/app/_components/time-ago';
import { TruthWordText } from '@/app/_components/truth/truth-word-text';
import type { TruthPage, TruthRow } from '@/lib/api/truth';
import { placeNames } from '@/lib/view-model/truth/describe-hop';
import { type TruthPlace, truthPlaces } from '@/lib/view-model/truth/truth-word';

type Spoken = Readonly<Record<TruthPlace, boolean>>;

const meanings: Readonly<Record<TruthPlace, string>> = {
  sotw: 'What our probe got in state of the world',
  delta: 'What our probe got in delta',
  controlPlane: 'What the control plane’s CSDS says it sent to this client',
  client: 'What the client says it runs',
};

const nameColumn: DataColumn<TruthRow> = {
  id: 'name',
  header: 'Resource',
  widthPx: 200,
  grows: true,
  cell: ({ service, name }) => (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="text-[0.8571rem] text-muted">{service}</span>
      <NameText name={name} maxChars={48} />
    </span>
  ),
};

const verdictColumn: DataColumn<TruthRow> = {
  id: 'hop',
  header: 'First hop that differs',
  widthPx: 330,
  grows: true,
  cell: (row) => <Verdict row={row} />,
};

const changedColumn: DataColumn<TruthRow> = {
  id: 'changed',
  header: 'Changed',
  description: 'The newest change at any of the places: what is younger than a poll may be under way',
  widthPx: timeAgoColumnPx,
  cell: ({ changedAt }) => <TimeAgo iso={changedAt} />,
};

function Verdict({ row: { firstHop, compared } }: { readonly row: TruthRow }) {
  if (firstHop !== null) return <span className="whitespace-normal text-nacked">{firstHop.text}</span>;
  return (
    <span className="text-muted">
      {compared > 1 ? `the ${compared} that tell of it agree` : 'one alone tells of it'}
    </span>
  );
}

export function buildTruthColumns(sources: TruthPage['sources']): DataColumn<TruthRow>[] {
  const spoken = spokenOf(sources);
  return [
    nameColumn,
    ...truthPlaces.map((place) => placeColumn(place, spoken)),
    verdictColumn,
    changedColumn,
  ];
}

/** A phone reads which resource, and what is wrong. */
export const narrowTruthColumns: readonly DataColumn<TruthRow>[] = [
  {
    ...nameColumn,
    cell: (row) => (
      <span className="flex min-w-0 flex-col gap-0.5 py-1">
        {nameColumn.cell(row)}
        <span className="text-[0.8571rem]">
          <Verdict row={row} />
        </span>
      </span>
    ),
  },
];

export function spokenOf(sources: TruthPage['sources']): Spoken {
  return {
    sotw: sources.sotw !== null,
    delta: sources.delta !== null,
    controlPlane: sources.controlPlane !== null,
    client: sources.client !== null,
  };
}

function placeColumn(place: TruthPlace, spoken: Spoken): DataColumn<TruthRow> {
  return {
    id: place,
    header: placeNames[place],
    description: meanings[place],
    widthPx: place === 'sotw' ? 132 : 118,
    cell: ({ words, firstHop }) => (
      <TruthWordText
        place={place}
        word={words[place]}
        isSpoken={spoken[place]}
        isOther={firstHop?.to === place}
      />
    ),
  };
}
