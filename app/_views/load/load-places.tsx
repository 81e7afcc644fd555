'use client';

import { useId, useMemo } from 'react';
import { EmptyState } from '@/app/_components/empty-state';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { formatCount } from '@/lib/format/count';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { buildPlaces } from '@/lib/views/load/build-places';
import type { LoadTotalsAnswer } from '@/lib/views/load/schema';

/** Rows: localities of clients; columns: localities of endpoints. */
export function LoadPlaces({ answer }: { readonly answer: LoadTotalsAnswer }) {
  const textId = useId();
  const { sources, targets, cells } = useMemo(() => buildPlaces(answer), [answer]);
  if (sources.length === 0) {
    return <EmptyState title="No requests reported in this time range" />;
  }
  return (
    <ScrollFrame label="Requests by locality">
      <p id={textId} className="sticky left-0 pb-2 text-left note">
        Completed requests, their share of the row, and failures
      </p>
      <table
        aria-describedby={textId}
        className="border-separate border-spacing-0.5 text-right tabular-nums sm:border-spacing-1"
      >
        <thead className="note">
          <tr>
            <th scope="col" className="text-left font-normal">
              clients in
            </th>
            {targets.map((target) => (
              <th
                key={formatLocality(target)}
                scope="col"
                className="px-1 font-normal whitespace-nowrap sm:px-2"
                title={formatLocality(target)}
              >
                <span className="hidden sm:inline">to </span>
                {formatShortLocality(target)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sources.map((source, row) => (
            <tr key={formatLocality(source)}>
              <th
                scope="row"
                className="pr-1 text-left font-normal whitespace-nowrap sm:pr-3"
                title={formatLocality(source)}
              >
                {formatShortLocality(source)}
              </th>
              {targets.map((target, column) => {
                const cell = cells[row]?.[column];
                return cell === null || cell === undefined ? (
                  <td
                    key={formatLocality(target)}
                    className="min-w-16 rounded px-1 py-1 sm:min-w-28 sm:px-2 text-muted"
                  >
                    not reported
                  </td>
                ) : (
                  <td
                    key={formatLocality(target)}
                    className="min-w-16 rounded px-1 py-1 sm:min-w-28 sm:px-2"
                    style={{
                      background: `color-mix(in oklab, var(--accent) ${Math.round(cell.share * 34)}%, var(--surface-raised))`,
                    }}
                  >
                    <span className="block">{formatCount(cell.requests)}</span>
                    <span className="block text-small">
                      {(cell.share * 100).toFixed(1)}%
                      {cell.failed !== '0' && (
                        <span className="block whitespace-nowrap text-nacked">
                          {formatCount(cell.failed)} failed
                        </span>
                      )}
                    </span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
