import { CloseButton } from '@/app/_components/close-button';
import { formatCounted } from '@/lib/format/count';

interface HiddenChipsProps {
  /** The search texts whose matches are hidden. */
  readonly texts: readonly string[];
  /** The number of hidden nodes. */
  readonly count: number;
  readonly onChange: (texts: string[]) => void;
}

/** What is hidden, with a button for each text that shows its matches again. */
export function HiddenChips({ texts, count, onChange }: HiddenChipsProps) {
  return (
    <section
      aria-label="Hidden elements"
      className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-1"
    >
      <h3 className="note font-medium">{formatCounted(count, 'element')} hidden</h3>
      <ul className="contents">
        {[...new Set(texts)].map((text) => (
          <li
            key={text}
            className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken pl-2 text-small"
          >
            <span className="min-w-0 font-mono wrap-anywhere">{text}</span>
            <CloseButton
              label={`Show ${text} again`}
              onClose={() => onChange(texts.filter((each) => each !== text))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
