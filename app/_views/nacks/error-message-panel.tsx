'use client';

import type { ReactNode } from 'react';
import { CopyButton } from '@/app/_components/copy-button';
import { Panel } from '@/app/_components/panel';
import { formatName } from '@/lib/format/names/format-name';
import { formatVisible } from '@/lib/format/visible-text';
import type { NackDetail, NackStatementRow } from '@/lib/views/nacks/schema';

interface ErrorMessagePanelProps {
  readonly nack: NackDetail;
  /** The statement whose field is marked; null: another field is marked. */
  readonly chosen: number | null;
  readonly onChoose: (index: number) => void;
}

/** The error message with the statements about this resource marked, and the field of each. */
export function ErrorMessagePanel({ nack, chosen, onChoose }: ErrorMessagePanelProps) {
  const { text, statements, group } = nack;
  const [client] = group.someClients;
  return (
    <Panel
      title="Error message"
      vantage={`${group.vantages.join(' and ')}: ${client === undefined ? 'a client' : formatName(client.nodeId)}`}
      age={group.lastAt}
      actions={text === '' ? undefined : <CopyButton text={text} label="Copy the text" />}
    >
      {text === '' ? (
        <p className="text-muted">
          No error message: only the control plane reports that the client rejected the resource.
        </p>
      ) : (
        <p className="max-h-48 overflow-y-auto font-mono text-small leading-relaxed break-words whitespace-pre-wrap">
          {markedText(text, statements, chosen)}
        </p>
      )}
      {statements.length > 0 && (
        <ol className="mt-3 flex flex-col gap-1.5">
          {statements.map((statement, index) => (
            <li
              key={`${statement.from} ${statement.fieldPath}`}
              className="flex min-w-0 flex-wrap items-baseline gap-x-2"
            >
              <Field statement={statement} isChosen={index === chosen} onChoose={() => onChoose(index)} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

interface FieldProps {
  readonly statement: NackStatementRow;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Field({ statement: { field, fieldPath }, isChosen, onChoose }: FieldProps) {
  if (field === undefined) {
    return (
      <span className="note">
        {fieldPath === undefined ? 'The message names no field' : 'The message names '}
        {fieldPath !== undefined && <span className="font-mono break-all text-text">{fieldPath}</span>}
        {fieldPath === undefined
          ? ', and no single finding explains it.'
          : '; its location in the payload is unknown.'}
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        onClick={onChoose}
        aria-pressed={isChosen}
        title="Show the field in the payload"
        className={`min-w-0 rounded px-1 text-left font-mono text-small break-all text-accent underline-offset-2 hover:underline ${isChosen ? 'outline-2 outline-accent' : ''}`}
      >
        {field.path === '' ? 'the whole resource' : field.path}
      </button>
      <span className="note">{basisText(field, fieldPath)}</span>
    </>
  );
}

function basisText(
  { basis, isAbsent, ruleId }: NonNullable<NackStatementRow['field']>,
  fieldPath: string | undefined,
): string {
  const absent = isAbsent ? '; the field is not set, so its surroundings are marked' : '';
  switch (basis) {
    case 'reported':
      return `reported by the client${absent}`;
    case 'found':
      return `named ${fieldPath ?? ''} by the client; found once in the payload${absent}`;
    case 'concluded': {
      const reported = fieldPath === undefined ? '' : `named ${fieldPath} by the client; `;
      return `${reported}location inferred from ${ruleId === undefined ? 'a finding' : `rule ${ruleId}`}`;
    }
  }
}

function markedText(
  text: string,
  statements: readonly NackStatementRow[],
  chosen: number | null,
): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [index, { from, to }] of statements.entries()) {
    if (from < at) continue;
    parts.push(formatVisible(text.slice(at, from)));
    parts.push(
      <mark
        key={from}
        className={`rounded-sm text-inherit ${index === chosen ? 'bg-nacked/25' : 'bg-nacked/10'}`}
      >
        {formatVisible(text.slice(from, to))}
      </mark>,
    );
    at = to;
  }
  parts.push(formatVisible(text.slice(at)));
  return parts;
}
