'use client';

import type { LoadSplit } from '@/lib/api/load';
import { formatCount } from '@/lib/format/count';
import { layoutSplitBar } from '@/lib/view-model/load/layout-split-bar';
import { EmptyState } from '../../_components/empty-state';
import { TimeAgo } from '../../_components/time-ago';
import { SplitBarDrawing } from '../../_drawings/load/split-bar-drawing';

type SplitLine = LoadSplit['lines'][number];

const verdictTexts: Readonly<Record<SplitLine['verdict'], string>> = {
  within: '● within chance',
  more: '▲ more than chance',
  less: '▼ less than chance',
  unknown: '? not known',
};

const barPx = { widthPx: 260, heightPx: 26 };

/** Expected against measured, locality by locality; a mark only where chance does not explain it. */
export function LoadSplitTable({ split }: { readonly split: LoadSplit }) {
  if (split.lines.length === 0) {
    return (
      <EmptyState title="Nothing is expected and nothing was measured">
        The cluster has no localities here.
      </EmptyState>
    );
  }
  return (
    <div className="overflow-x-auto">
      <p className="pb-3 text-[0.8571rem] text-muted">
        Requests that {split.counted === 'issued' ? 'began' : 'ended'} since <TimeAgo iso={split.from} />
        {split.changedAt !== null && (
          <>
            ; the config is as it is since <TimeAgo iso={split.changedAt} />
          </>
        )}
        . The stroke is what is expected, the wide band what chance allows, the bar what was measured.
      </p>
      <table className="text-right tabular-nums" aria-label="Expected against measured">
        <thead className="text-[0.8571rem] text-muted">
          <tr>
            <th scope="col" className="text-left font-normal">
              Locality
            </th>
            <th scope="col" className="pl-4 font-normal">
              expected
            </th>
            <th scope="col" className="pl-4 font-normal">
              measured
            </th>
            <th scope="col" className="pl-4 font-normal">
              requests
            </th>
            <th scope="col" className="pl-4 text-left font-normal">
              0 to 100 %
            </th>
            <th scope="col" className="pl-4 text-left font-normal">
              verdict
            </th>
          </tr>
        </thead>
        <tbody>
          {split.lines.map((line) => (
            <tr key={line.name} data-verdict={line.verdict}>
              <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
                {line.name}
              </th>
              <td className="pl-4">{percent(line.expected)}</td>
              <td className="pl-4">{percent(line.share)}</td>
              <td className="pl-4">{formatCount(line.measured)}</td>
              <td className="pl-4">
                <SplitBarDrawing
                  layout={layoutSplitBar(line, barPx)}
                  label={`${line.name}: expected ${percent(line.expected)}, measured ${percent(line.share)}`}
                />
              </td>
              <td
                className={`pl-4 text-left whitespace-nowrap ${
                  line.verdict === 'more' || line.verdict === 'less' ? 'text-nacked' : 'text-muted'
                }`}
                title={
                  line.chance === null
                    ? ''
                    : `chance allows ${percent(line.chance.from)} to ${percent(line.chance.to)}`
                }
              >
                {verdictTexts[line.verdict]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function percent(share: number | null): string {
  return share === null ? 'not known' : `${(share * 100).toFixed(1)} %`;
}
