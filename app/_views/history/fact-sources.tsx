import { NameText } from '@/app/_components/name-text';
import type { HistoryFact } from '@/lib/views/history/group-facts';
import { EventTime } from './event-time';

interface FactSourcesProps {
  readonly fact: HistoryFact;
  readonly onSelect: (seq: number) => void;
}

/** The reports of one fact, in their order. Each opens its event. */
export function FactSources({ fact, onSelect }: FactSourcesProps) {
  return (
    <ul aria-label="Sources that report it" className="flex flex-wrap gap-x-4 gap-y-1 px-3 pb-1.5">
      {[fact, ...fact.others].map(({ seq, at, sourceId }) => (
        <li key={seq}>
          <button
            type="button"
            onClick={(event) => {
              event.stopPropagation();
              onSelect(seq);
            }}
            className="inline-flex min-h-6 items-center gap-2 text-small link-quiet"
          >
            <EventTime at={at} />
            <NameText name={sourceId} />
          </button>
        </li>
      ))}
    </ul>
  );
}
