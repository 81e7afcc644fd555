'use client';

import type { ComponentProps, ReactNode } from 'react';
import { EmptyState } from '@/app/_components/empty-state';
import { ExactTime } from '@/app/_components/exact-time';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { SplitBarDrawing } from '@/app/_drawings/load/split-bar-drawing';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { formatShortTime } from '@/lib/format/exact-time';
import { formatIsoTime } from '@/lib/format/iso-time';
import { layoutSplitBar } from '@/lib/views/load/layout-split-bar';
import type { LoadSplit } from '@/lib/views/load/schema';
import type { EpochMs } from '@/lib/xds/units';

type SplitLine = LoadSplit['lines'][number];

const verdictTexts: Readonly<Record<SplitLine['verdict'], string>> = {
  within: '● as expected',
  more: '▲ above expected',
  less: '▼ below expected',
  unknown: '? unknown',
};

const barPx = { widthPx: 260, heightPx: 26 };
const narrowBarPx = { widthPx: 120, heightPx: 20 };

interface SplitPanelProps {
  readonly query: ComponentProps<typeof QueryContent<LoadSplit>>['query'];
  /** Shown instead if no load of the cluster was reported; false: it was. */
  readonly unreported: ReactNode;
}

export function SplitPanel({ query, unreported }: SplitPanelProps) {
  return (
    <Panel
      title="Expected vs. actual"
      vantage="derived from the client’s config with every endpoint as EDS states, and as the client reports it"
      partial={unreported ? undefined : query.data?.notes.join(' ')}
    >
      {unreported || (
        <QueryContent query={query} what="the split" rows={4}>
          {(split) => <LoadSplitTable split={split} />}
        </QueryContent>
      )}
    </Panel>
  );
}

/** Expected and actual shares by locality or endpoint, in the whole time range and in each config epoch. */
function LoadSplitTable({ split }: { readonly split: LoadSplit }) {
  const { lines, epochs, earlierEpochs, counted, by } = split;
  if (lines.length === 0) {
    const parts = by === 'endpoint' ? 'endpoints' : 'localities';
    return <EmptyState title={`No ${parts}`}>The cluster has no {parts} in this config.</EmptyState>;
  }
  const isUnmeasured = by === 'endpoint' && lines.every(({ measured }) => measured === 0);
  const [newest] = epochs;
  const isOne = epochs.length === 1 && earlierEpochs === 0;
  return (
    <div className="flex flex-col gap-4">
      <ScrollFrame label="Expected vs. actual">
        <p className="pb-3 note">
          Requests that {counted === 'issued' ? 'began' : 'ended'} in the time range
          {isOne && newest !== undefined && newest.measuredFrom !== undefined && (
            <>
              , since <EpochTime at={newest.measuredFrom} />; the config implied the same split all the time
            </>
          )}
          {!isOne && '; the expected share is the mean over the config epochs below, weighted by requests'}.
          Bar: actual. Line: expected. Band: range of random variation.
          {isUnmeasured && ' The client reports no load by endpoint, so that the actual shares are unknown.'}
        </p>
        <SplitLines lines={lines} head={heads[by]} label="Expected vs. actual" />
      </ScrollFrame>
      {!isOne && (
        <section aria-label="Config epochs" className="flex flex-col gap-3">
          <h3 className="font-semibold">
            By config epoch
            <span className="ml-2 font-normal note">
              times between which the effective config implied the same split; newest first
            </span>
          </h3>
          {epochs.map((epoch) => (
            <Epoch key={epoch.from} epoch={epoch} head={heads[by]} />
          ))}
          {earlierEpochs > 0 && (
            <p className="note">
              {formatCounted(earlierEpochs, 'earlier epoch')} in the time range: choose a time range that ends
              earlier.
            </p>
          )}
        </section>
      )}
    </div>
  );
}

interface EpochProps {
  readonly epoch: LoadSplit['epochs'][number];
  readonly head: string;
}

function Epoch({ epoch: { from, to, measuredFrom, lines }, head }: EpochProps) {
  return (
    <ScrollFrame
      label={`Expected vs. actual from ${formatIsoTime(from)}, scrolled`}
      className="border-t border-line pt-2"
    >
      <h4 className="pb-1 text-medium font-medium">
        <EpochTime at={from} /> to <EpochTime at={to} />
        <span className="ml-2 font-normal note">{formatDuration(to - from)}</span>
      </h4>
      {measuredFrom === undefined && (
        <p className="note">
          Shorter than the interval of the load reports: no report covers only this epoch.
        </p>
      )}
      <SplitLines lines={lines} head={head} label={`Expected vs. actual from ${formatIsoTime(from)}`} />
    </ScrollFrame>
  );
}

function EpochTime({ at }: { readonly at: EpochMs }) {
  const timeZone = useTimeZone();
  return (
    <ExactTime at={at} className="tabular-nums">
      {formatShortTime(at, Date.now(), timeZone)}
    </ExactTime>
  );
}

const heads = { locality: 'Locality', endpoint: 'Endpoint' } as const;

interface SplitLinesProps {
  readonly lines: readonly SplitLine[];
  readonly head: string;
  readonly label: string;
}

/** Only significant differences are marked. */
function SplitLines({ lines, head, label }: SplitLinesProps) {
  return (
    <table className="text-right tabular-nums" aria-label={label}>
      <thead className="note">
        <tr>
          <th scope="col" className="text-left font-normal">
            {head}
          </th>
          <th scope="col" className="pl-3 font-normal sm:pl-4">
            expected
          </th>
          <th scope="col" className="pl-3 font-normal sm:pl-4">
            actual
          </th>
          <th scope="col" className="hidden pl-4 font-normal sm:table-cell">
            requests
          </th>
          <th scope="col" className="hidden pl-4 text-left font-normal sm:table-cell">
            0 to 100%
          </th>
          <th scope="col" className="hidden pl-4 text-left font-normal sm:table-cell">
            verdict
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.name} data-verdict={line.verdict}>
            <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
              {line.name}
              {/* Narrow screens show the details below the name. */}
              <div className="grid gap-y-0.5 py-0.5 sm:hidden">
                <SplitBarDrawing layout={layoutSplitBar(line, narrowBarPx)} label={barLabel(line)} />
                <Verdict line={line} />
                <span className="text-muted">
                  {formatCount(line.measured)} {line.measured === 1 ? 'request' : 'requests'}
                </span>
              </div>
            </th>
            <td className="pl-3 sm:pl-4">{percent(line.expected)}</td>
            <td className="pl-3 sm:pl-4">{percent(line.share)}</td>
            <td className="hidden pl-4 sm:table-cell">{formatCount(line.measured)}</td>
            <td className="hidden pl-4 sm:table-cell">
              <SplitBarDrawing layout={layoutSplitBar(line, barPx)} label={barLabel(line)} />
            </td>
            <td className="hidden pl-4 text-left whitespace-nowrap sm:table-cell">
              <Verdict line={line} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Verdict({ line: { verdict, chance } }: { readonly line: SplitLine }) {
  return (
    <span
      className={verdict === 'more' || verdict === 'less' ? 'text-nacked' : 'text-muted'}
      title={chance === undefined ? '' : `random variation: ${percent(chance.from)} to ${percent(chance.to)}`}
    >
      {verdictTexts[verdict]}
    </span>
  );
}

function barLabel({ name, expected, share }: SplitLine): string {
  return `${name}: expected ${percent(expected)}, actual ${percent(share)}`;
}

function percent(share: number | undefined): string {
  return share === undefined ? 'unknown' : `${(share * 100).toFixed(1)}%`;
}
