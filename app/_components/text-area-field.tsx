'use client';

import { type DragEvent, useState } from 'react';
import { FieldFrame, type FieldTexts } from './field-frame';
import { FileButton } from './file-button';

interface TextAreaFieldProps extends FieldTexts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows: number;
  readonly placeholder?: string;
  /** Accepts a text file by drop or file dialog. */
  readonly takesFiles?: boolean;
}

/** Larger files are not read. */
const maxFileBytes = 1024 * 1024;

export function TextAreaField(props: TextAreaFieldProps) {
  const { value, onChange, rows, error, placeholder, takesFiles = false, ...texts } = props;

  const [isTooLarge, setTooLarge] = useState(false);
  const shownError = isTooLarge ? 'Expected a file of at most 1 MiB, got a larger one.' : error;

  async function read(file: File | undefined) {
    if (file === undefined) return;
    setTooLarge(file.size > maxFileBytes);
    if (file.size <= maxFileBytes) onChange(await file.text());
  }

  function take(event: DragEvent) {
    const file = event.dataTransfer.files[0];
    if (!takesFiles || file === undefined) return;
    event.preventDefault();
    void read(file);
  }

  const field = (
    <FieldFrame {...texts} error={shownError}>
      {(attributes) => (
        <textarea
          {...attributes}
          value={value}
          onChange={(event) => {
            setTooLarge(false);
            onChange(event.target.value);
          }}
          rows={rows}
          placeholder={placeholder}
          spellCheck={false}
          onDragOver={(event) => {
            if (takesFiles) event.preventDefault();
          }}
          onDrop={take}
          className="rounded-md border border-line-strong bg-raised px-2.5 py-1.5 font-mono text-medium placeholder:text-muted aria-invalid:border-nacked"
        />
      )}
    </FieldFrame>
  );
  if (!takesFiles) return field;
  return (
    <div className="flex flex-col items-start gap-2 *:first:w-full">
      {field}
      <FileButton onChoose={([file]) => void read(file)}>Choose a file</FileButton>
    </div>
  );
}
