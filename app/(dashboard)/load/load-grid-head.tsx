import type { LoadSort } from '@/lib/load/load-question';
import type { LoadGridColumn } from '@/lib/view-model/load/layout-load-grid';
import { loadMeasureTexts } from '@/lib/view-model/load/load-choices';
import { Icon } from '../../_components/icon';

interface LoadGridHeadProps {
  readonly column: LoadGridColumn;
  readonly isSorted: boolean;
  readonly onSort: (sort: LoadSort) => void;
  readonly className: string;
}

/** The heading of a measure: its unit, its scale, and the order of the rows. */
export function LoadGridHead({ column: { measure, top }, isSorted, onSort, className }: LoadGridHeadProps) {
  const { label, unit, text, sort } = loadMeasureTexts[measure];
  return (
    <th scope="col" aria-sort={isSorted ? 'descending' : undefined} className={`font-normal ${className}`}>
      <button
        type="button"
        title={`${text}. Press to show the rows with the most first.`}
        onClick={() => onSort(sort)}
        className={`inline-flex min-h-7 items-center gap-1 font-medium hover:text-text ${isSorted ? 'text-text' : ''}`}
      >
        {label}
        {isSorted && <Icon name="chevron-down" sizePx={12} />}
      </button>
      <span className="ml-2 max-md:hidden">
        {unit}
        {top === null ? ', each row on its own scale' : `, 0 to ${top}`}
      </span>
    </th>
  );
}
