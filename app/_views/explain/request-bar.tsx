'use client';

import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { FieldFrame } from '@/app/_components/field-frame';
import { TextAreaField } from '@/app/_components/text-area-field';
import { TextField } from '@/app/_components/text-field';
import { formatRequest } from '@/lib/explain/format-request';
import { parseRequest, requestForms } from '@/lib/explain/parse-request';
import type { ExplainRequest } from '@/lib/explain/request';

interface RequestBarProps {
  readonly text: string;
  readonly onChoose: (text: string) => void;
}

/** One text in any form of a request, and its parts. */
export function RequestBar({ text: chosen, onChoose }: RequestBarProps) {
  const [text, setText] = useState(chosen);
  const parsed = parseRequest(text);
  const error = text.trim() === '' || parsed.ok ? '' : parsed.message;
  return (
    <form
      className="border-b border-line px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed.ok) onChoose(text.trim());
      }}
    >
      <div className="flex flex-wrap items-start gap-2">
        <FieldFrame label="Request" error={error} className="flex-[1_1_18rem]">
          {(attributes) => (
            <input
              {...attributes}
              value={text}
              onChange={(event) => setText(event.target.value)}
              placeholder={requestForms[0]}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-raised px-2.5 font-mono text-medium placeholder:text-muted aria-invalid:border-nacked"
            />
          )}
        </FieldFrame>
        <div className="pt-[1.4rem]">
          <Button type="submit" tone="accent" isDisabled={!parsed.ok}>
            Explain
          </Button>
        </div>
      </div>
      <p className="note mt-1 break-words">Understands {requestForms.slice(1).join('; ')}.</p>
      {parsed.ok && (
        <RequestParts request={parsed.request} onChange={(request) => setText(formatRequest(request))} />
      )}
    </form>
  );
}

interface RequestPartsProps {
  readonly request: ExplainRequest;
  readonly onChange: (request: ExplainRequest) => void;
}

function RequestParts({ request, onChange }: RequestPartsProps) {
  const { method, authority, path, headers } = request;
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <details className="mt-2">
      <summary className="note cursor-pointer">Method, authority, path and headers</summary>
      <div className="mt-2 grid grid-cols-1 gap-2 @xl:grid-cols-[8rem_1fr_2fr]">
        <TextField
          label="Method"
          isMono
          value={method}
          onChange={(value) => onChange({ ...request, method: value.toUpperCase() })}
        />
        <TextField
          label="Authority"
          isMono
          value={authority}
          onChange={(value) => onChange({ ...request, authority: value.trim() })}
        />
        <TextField
          label="Path"
          isMono
          value={path}
          onChange={(value) => onChange({ ...request, path: value.startsWith('/') ? value : `/${value}` })}
        />
      </div>
      <HeaderLines key={lines} lines={lines} onChange={(value) => onChange({ ...request, headers: value })} />
    </details>
  );
}

interface HeaderLinesProps {
  readonly lines: string;
  readonly onChange: (headers: ExplainRequest['headers']) => void;
}

/** One header in each line; an unfinished line is no header yet. */
function HeaderLines({ lines, onChange }: HeaderLinesProps) {
  const [text, setText] = useState(lines);
  const headers = text.split('\n').flatMap((line): [string, string][] => {
    const [, name = '', value = ''] = /^\s*([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value]];
  });
  return (
    <div className="mt-2 flex flex-col items-start gap-1.5 *:first:w-full">
      <TextAreaField label="Headers" rows={2} placeholder="x-color: blue" value={text} onChange={setText} />
      {text !== lines && <Button onPress={() => onChange(headers)}>Use these headers</Button>}
    </div>
  );
}
