const filters = [
  { label: 'in trouble', text: 'trouble=yes' },
  { label: 'nacked', text: 'status=NACKED' },
  { label: 'does not exist', text: 'status=DOES_NOT_EXIST' },
  { label: 'not live', text: 'fresh!=live' },
  { label: 'same id twice', text: 'is=duplicate' },
] as const;

interface FilterHintsProps {
  readonly current: string;
  readonly onChoose: (text: string) => void;
}

/** Filters at hand; they also teach how one is written. */
export function FilterHints({ current, onChoose }: FilterHintsProps) {
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {filters.map(({ label, text }) => {
        const isOn = current === text;
        return (
          <button
            key={text}
            type="button"
            aria-pressed={isOn}
            title={text}
            onClick={() => onChoose(isOn ? '' : text)}
            className={`h-8 rounded-full border px-2.5 text-[0.8571rem] transition ${
              isOn
                ? 'border-accent bg-accent-soft text-text'
                : 'border-line text-muted hover:bg-hover hover:text-text'
            }`}
          >
            {label}
          </button>
        );
      })}
    </div>
  );
}
