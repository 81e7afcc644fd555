'use client';

interface TimeFieldProps {
  readonly label: string;
  /** ISO 8601; empty: none. An invalid time is shown as none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <label className="flex min-w-0 flex-col gap-0.5 text-tiny text-muted">
      {label}
      <input
        type="datetime-local"
        step={1}
        value={localTimeOf(value)}
        onChange={({ target }) => onChange(target.value === '' ? '' : new Date(target.value).toISOString())}
        className="h-7 w-52 rounded-md border border-line-strong bg-raised px-2 text-small text-text"
      />
    </label>
  );
}

/** The value of datetime-local inputs has no zone. */
function localTimeOf(iso: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return '';
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offsetMs).toISOString().slice(0, 23);
}
