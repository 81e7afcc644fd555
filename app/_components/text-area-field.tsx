'use client';

import { type DragEvent, type ReactNode, useState } from 'react';
import {
  TextField as AriaTextField,
  FieldError,
  FileTrigger,
  Label,
  Text,
  TextArea,
} from 'react-aria-components';
import { Button } from './button';

interface TextAreaFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows: number;
  readonly description?: ReactNode;
  readonly error?: string | undefined;
  readonly placeholder?: string;
  /** Accepts a text file by drop or file dialog. */
  readonly takesFiles?: boolean;
}

/** Larger files are not read. */
const maxFileBytes = 1024 * 1024;

export function TextAreaField(props: TextAreaFieldProps) {
  const { label, value, onChange, rows, description, error = '', placeholder, takesFiles = false } = props;

  const [isTooLarge, setTooLarge] = useState(false);
  const shownError = isTooLarge ? 'Expected a file of at most 1 MiB, got a larger one.' : error;

  async function read(file: File) {
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
    <AriaTextField
      value={value}
      onChange={(text) => {
        setTooLarge(false);
        onChange(text);
      }}
      isInvalid={shownError !== ''}
      validationBehavior="aria"
      className="flex flex-col gap-1"
    >
      <Label className="note font-medium">{label}</Label>
      <TextArea
        rows={rows}
        placeholder={placeholder}
        spellCheck={false}
        onDragOver={(event) => {
          if (takesFiles) event.preventDefault();
        }}
        onDrop={take}
        className="rounded-md border border-line-strong bg-raised px-2.5 py-1.5 font-mono text-medium placeholder:text-muted data-[invalid]:border-nacked"
      />
      {description !== undefined && (
        <Text slot="description" className="note">
          {description}
        </Text>
      )}
      <FieldError className="text-small break-words text-nacked">{shownError}</FieldError>
    </AriaTextField>
  );
  if (!takesFiles) return field;
  // Outside of the field, because the file input would take the field's value.
  return (
    <div className="flex flex-col items-start gap-2 *:first:w-full">
      {field}
      <FileTrigger
        onSelect={(files) => {
          const file = files?.[0];
          if (file !== undefined) void read(file);
        }}
      >
        <Button>Choose a file</Button>
      </FileTrigger>
    </div>
  );
}
