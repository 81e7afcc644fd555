import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StateMark } from '@/app/_components/status-mark';
import type { DiffAnswerItem } from '@/lib/api/diff';
import { formatCount } from '@/lib/format/count';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import { describeLine, describeValues } from '@/lib/view-model/compare/describe-diff';

const kind: DataColumn<DiffAnswerItem> = {
  id: 'kind',
  header: 'Difference',
  widthPx: 190,
  cell: (item) => <ShapeMark shape={changeShape(item.kind)} />,
};
const type: DataColumn<DiffAnswerItem> = {
  id: 'type',
  header: 'Type',
  widthPx: 70,
  cell: ({ service }) => <span className="note">{service}</span>,
};
const name: DataColumn<DiffAnswerItem> = {
  id: 'name',
  header: 'Name',
  widthPx: 220,
  grows: true,
  cell: (item) => <NameText name={item.name} />,
};
const changes: DataColumn<DiffAnswerItem> = {
  id: 'changes',
  header: 'Changes',
  description: 'Number of semantic differences',
  widthPx: 80,
  align: 'right',
  cell: ({ totals }) => (totals === null || totals.changes === 0 ? '' : formatCount(totals.changes)),
};
const what: DataColumn<DiffAnswerItem> = {
  id: 'what',
  header: 'What',
  description: 'The first difference',
  widthPx: 300,
  grows: true,
  cell: (item) => <What item={item} />,
};

export const diffColumns = [kind, type, name, changes, what];
/** Used beside an open resource. */
export const fewDiffColumns = [{ ...kind, widthPx: 130 }, type, name, changes];
export const narrowDiffColumns = [
  { ...kind, widthPx: 120 },
  { ...type, widthPx: 56 },
  { ...name, widthPx: 160 },
];

export const diffItemId = ({ typeUrl, name }: DiffAnswerItem): string => `${typeUrl} ${name}`;

/** The end of a path identifies the field best. */
const pathChars = 44;

function What({ item: { kind, lines, left, right } }: { readonly item: DiffAnswerItem }) {
  const [line] = lines;
  if (line !== undefined) {
    const text = describeLine(line);
    return (
      <span className="flex min-w-0 gap-2 font-mono text-small" title={text} translate="no">
        <span className="min-w-0 truncate">{formatMiddleCut(line.path, pathChars)}</span>
        <span className="max-w-3/5 shrink-0 truncate">{describeValues(line)}</span>
      </span>
    );
  }
  if (kind === 'added') return <span className="text-muted">only on the right</span>;
  if (kind === 'removed') return <span className="text-muted">only on the left</span>;
  if (kind !== 'status') return null;
  return (
    <span className="inline-flex items-center gap-1.5 text-small">
      {left === null ? 'not reported' : <StateMark state={left.state} />} →{' '}
      {right === null ? 'not reported' : <StateMark state={right.state} />}
    </span>
  );
}
