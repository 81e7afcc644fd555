'use client';

import { useCallback, useMemo, useRef } from 'react';
import { Button } from '@/app/_components/button';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { StrokeShape } from '@/app/_components/stroke-shape';
import { formatCount, formatCounted } from '@/lib/format/count';
import { cellShape } from '@/lib/views/check/cell-shape';
import { describeHolders } from '@/lib/views/check/describe-check';
import type { CellVerdict, Check, CheckedResource } from '@/lib/views/check/schema';
import { nameOf } from '@/lib/xds/profile';

interface MatrixPanelProps {
  readonly check: Check;
  readonly onShow: (index: number) => void;
  readonly onAsk: () => void;
}

const rowId = ({ index }: CheckedResource) => String(index);

/** A row for each resource, a column for each client version of the fleet. */
export function MatrixPanel({ check, onShow, onAsk }: MatrixPanelProps) {
  const { columns: profiles, resources, total, shown, envoyVersion, clientsInInput } = check;
  const hasPlaces = clientsInInput !== undefined;
  const isAsked = resources.some(({ asked }) => asked !== undefined);
  const newest = useRef(onShow);
  newest.current = onShow;
  const show = useCallback(({ index }: CheckedResource) => newest.current(index), []);
  const asked = isAsked ? envoyVersion : undefined;
  const hasClients = check.fleet.clients > 0;
  const columns = useMemo(
    () => buildColumns(profiles, asked, { hasPlaces, hasClients }),
    [profiles, asked, hasPlaces, hasClients],
  );
  return (
    <Panel
      title="Verdicts"
      vantage={`${formatCounted(total, 'resource')} by the client versions of this fleet`}
      partial={total > resources.length ? `${formatCount(resources.length)} listed, rejected ones first` : ''}
      actions={
        envoyVersion !== undefined &&
        !isAsked && <Button onPress={onAsk}>{`Ask Envoy ${envoyVersion}`}</Button>
      }
      flush
    >
      <DataTable
        label="Verdicts by resource and client version"
        rows={resources}
        columns={columns}
        rowId={rowId}
        selectedId={shown === undefined ? null : String(shown.index)}
        onActivate={show}
        className="max-h-80"
      />
    </Panel>
  );
}

/** The answer of the Envoy itself; its error is in the tooltip and beside the findings. */
function askedColumn(version: string): DataColumn<CheckedResource> {
  return {
    id: 'asked',
    header: `Envoy ${version}, asked`,
    description: 'The answer of envoy --mode validate to the resource alone',
    widthPx: 160,
    cell: ({ asked }) => {
      if (asked === undefined) return null;
      const { answer, text } = asked;
      if (answer === 'ACK' || answer === 'NACK')
        return (
          <span title={text}>
            <VerdictMark verdict={answer} />
          </span>
        );
      return (
        <span className="block truncate text-muted" title={text}>
          {answer === 'not-asked' ? 'not asked' : 'no answer'}: {text}
        </span>
      );
    },
  };
}

function buildColumns(
  profiles: Check['columns'],
  envoyVersion: string | undefined,
  { hasPlaces, hasClients }: { readonly hasPlaces: boolean; readonly hasClients: boolean },
): readonly DataColumn<CheckedResource>[] {
  return unsorted([
    column<CheckedResource, string>('type', 'Type', ({ service }) => service, {
      widthPx: 64,
      as: (service) => <span className="text-muted">{service}</span>,
    }),
    column<CheckedResource, string>('name', 'Name', ({ name }) => name, {
      widthPx: 180,
      grows: true,
      as: (name, { typeUrl }) => <NameText name={name} typeUrl={typeUrl} />,
    }),
    // Clients in one input have resources of equal names.
    ...(hasPlaces
      ? [
          column<CheckedResource, string>('place', 'Place in the input', ({ place }) => place, {
            widthPx: 180,
            as: (place) => (
              <span className="block truncate font-mono text-small text-muted" title={place}>
                {place}
              </span>
            ),
          }),
        ]
      : []),
    ...profiles.map(
      ({ profile, clients, isHint, nearest = 0 }, at): DataColumn<CheckedResource> => ({
        id: `${profile}${isHint ? ' hint' : ''}`,
        header: `${isHint ? 'Hints: before ' : ''}${nameOf(profile)}${clients > 0 ? ` (${formatCount(clients)})` : ''}`,
        description: isHint
          ? `${formatCounted(clients, 'client')} of this fleet of versions that are not measured, by the rules of the earliest measured one`
          : `${formatCounted(clients, 'client')} of this fleet${nearest === 0 ? '' : `, ${formatCount(nearest)} of a version that is not measured: these are the rules of the nearest measured one before`}`,
        widthPx: isHint ? 200 : 112,
        cell: ({ cells }) => <VerdictMark verdict={cells[at] ?? 'NO_FAULT_FOUND'} isHint={isHint} />,
      }),
    ),
    ...(envoyVersion === undefined ? [] : [askedColumn(envoyVersion)]),
    ...(hasClients
      ? [
          column<CheckedResource, string>('holders', 'Clients that have it', describeHolders, {
            as: 'text',
            widthPx: 220,
            why: 'there are too many clients and resources to count them',
          }),
        ]
      : []),
  ]);
}

function VerdictMark({
  verdict,
  isHint = false,
}: {
  readonly verdict: CellVerdict;
  readonly isHint?: boolean | undefined;
}) {
  const { path, word, variable } = cellShape(verdict);
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: isHint ? 'var(--text-muted)' : `var(${variable})` }}
    >
      <StrokeShape path={path} strokeWidth={2} />
      {word}
    </span>
  );
}
