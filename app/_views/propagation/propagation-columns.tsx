import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { MismatchText } from '@/app/_components/propagation/mismatch-text';
import { PropagationStateText } from '@/app/_components/propagation/propagation-state-text';
import { placeTexts } from '@/lib/sync/describe-mismatch';
import { type PropagationPlace, propagationPlaces } from '@/lib/sync/propagation-state';
import type { PropagationPage, PropagationRow } from '@/lib/views/propagation/schema';

type Observed = Readonly<Record<PropagationPlace, boolean>>;

const meanings: Readonly<Record<PropagationPlace, string>> = {
  sotw: 'Received by the probe over SotW',
  delta: 'Received by the probe over delta',
  controlPlane: 'Sent to this client, as the control plane reports (CSDS)',
  client: 'In use, as the client reports',
};

const nameColumn: DataColumn<PropagationRow> = column('name', 'Resource', ({ name }) => name, {
  widthPx: 200,
  grows: true,
  as: (name, { service }) => (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="note">{service}</span>
      <NameText name={name} />
    </span>
  ),
});

const verdictColumn: DataColumn<PropagationRow> = {
  id: 'hop',
  header: 'First mismatch',
  widthPx: 330,
  grows: true,
  cell: (row) => <Verdict row={row} />,
};

const changedColumn: DataColumn<PropagationRow> = column('changed', 'Changed', ({ changedAt }) => changedAt, {
  description:
    'The newest change at any of these places. Within 30 seconds of it (5 between the probes), a place that differs is behind',
  as: 'ago',
  align: 'left',
});

function Verdict({ row: { firstMismatch, compared } }: { readonly row: PropagationRow }) {
  if (firstMismatch !== undefined)
    return <MismatchText mismatch={firstMismatch} className="whitespace-normal" />;
  return (
    <span className="text-muted">
      {compared > 1 ? `all ${compared} sources match` : 'reported by one source only'}
    </span>
  );
}

export function buildPropagationColumns(
  sources: PropagationPage['sources'],
): readonly DataColumn<PropagationRow>[] {
  const observed = observedPlaces(sources);
  return unsorted([
    nameColumn,
    ...propagationPlaces.map((place) => placeColumn(place, observed)),
    verdictColumn,
    changedColumn,
  ]);
}

export const narrowPropagationColumns: readonly DataColumn<PropagationRow>[] = unsorted([
  {
    ...nameColumn,
    cell: (row) => (
      <span className="flex min-w-0 flex-col gap-0.5 py-1">
        {nameColumn.cell(row)}
        <span className="text-small">
          <Verdict row={row} />
        </span>
      </span>
    ),
  },
]);

function observedPlaces(sources: PropagationPage['sources']): Observed {
  return {
    sotw: sources.sotw !== undefined,
    delta: sources.delta !== undefined,
    controlPlane: sources.controlPlane !== undefined,
    client: sources.client !== undefined,
  };
}

function placeColumn(place: PropagationPlace, observed: Observed): DataColumn<PropagationRow> {
  return {
    id: place,
    header: placeTexts[place].heading,
    description: meanings[place],
    widthPx: place === 'sotw' ? 132 : 118,
    cell: ({ states, firstMismatch }) => (
      <PropagationStateText
        place={place}
        word={states[place]}
        isReported={observed[place]}
        mismatch={firstMismatch?.to === place ? firstMismatch : undefined}
      />
    ),
  };
}
