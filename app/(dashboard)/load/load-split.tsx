'use client';

import type { LoadSplit } from '@/lib/api/load';
import { formatCount } from '@/lib/format/count';
import { layoutSplitBar } from '@/lib/view-model/load/layout-split-bar';
import { EmptyState } from '../../_components/empty-state';
import { TimeAgo } from '../../_components/time-ago';
import { SplitBarDrawing } from '../../_drawings/load/split-bar-drawing';

type SplitLine = LoadSplit['lines'][number];

const verdictTexts: Readonly<Record<SplitLine['verdict'], string>> = {
  within: '● as expected',
  more: '▲ above expected',
  less: '▼ below expected',
  unknown: '? unknown',
};

const barPx = { widthPx: 260, heightPx: 26 };
const narrowBarPx = { widthPx: 120, heightPx: 20 };

/** Expected and actual shares by locality; only significant differences are marked. */
export function LoadSplitTable({ split }: { readonly split: LoadSplit }) {
  if (split.lines.length === 0) {
    return <EmptyState title="No localities">The cluster has no localities in this config.</EmptyState>;
  }
  return (
    <div className="overflow-x-auto">
      <p className="pb-3 note">
        Requests that {split.counted === 'issued' ? 'began' : 'ended'} since <TimeAgo iso={split.from} />
        {split.changedAt !== null && (
          <>
            ; config unchanged since <TimeAgo iso={split.changedAt} />
          </>
        )}
        . Bar: actual. Line: expected. Band: range of random variation.
      </p>
      <table className="text-right tabular-nums" aria-label="Expected vs. actual">
        <thead className="note">
          <tr>
            <th scope="col" className="text-left font-normal">
              Locality
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
          {split.lines.map((line) => (
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
    </div>
  );
}

function Verdict({ line: { verdict, chance } }: { readonly line: SplitLine }) {
  return (
    <span
      className={verdict === 'more' || verdict === 'less' ? 'text-nacked' : 'text-muted'}
      title={chance === null ? '' : `random variation: ${percent(chance.from)} to ${percent(chance.to)}`}
    >
      {verdictTexts[verdict]}
    </span>
  );
}

function barLabel({ name, expected, share }: SplitLine): string {
  return `${name}: expected ${percent(expected)}, actual ${percent(share)}`;
}

function percent(share: number | null): string {
  return share === null ? 'unknown' : `${(share * 100).toFixed(1)}%`;
}
