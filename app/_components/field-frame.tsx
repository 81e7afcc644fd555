'use client';

import { type ReactNode, useId } from 'react';

export interface FieldTexts {
  readonly label: string;
  readonly description?: ReactNode;
  /** The reason why the value was rejected; empty or undefined if it was not. */
  readonly error?: string | undefined;
}

interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldFrameProps extends FieldTexts {
  readonly className?: string;
  /** Renders the input with the attributes that connect it to the texts. */
  readonly children: (attributes: FieldAttributes) => ReactNode;
}

/** A label above an input; its description and its error below. */
export function FieldFrame({ label, description, error = '', className = '', children }: FieldFrameProps) {
  const id = useId();
  const described = [description === undefined ? '' : `${id}-text`, error === '' ? '' : `${id}-error`];
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id} className="note font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described.filter((each) => each !== '').join(' ') || undefined,
        'aria-invalid': error !== '' || undefined,
      })}
      {description !== undefined && (
        <p id={`${id}-text`} className="note">
          {description}
        </p>
      )}
      {error !== '' && (
        <p id={`${id}-error`} className="text-small break-words text-nacked">
          {error}
        </p>
      )}
    </div>
  );
}
