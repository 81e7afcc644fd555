interface CheckboxFieldProps {
  readonly label: string;
  readonly note: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A checkbox whose name includes the note below it. */
export function CheckboxField({ label, note, isChecked, onChange }: CheckboxFieldProps) {
  return (
    <label className="flex items-start gap-2 text-medium">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-1"
      />
      <span>
        {label}
        <span className="block note">{note}</span>
      </span>
    </label>
  );
}
