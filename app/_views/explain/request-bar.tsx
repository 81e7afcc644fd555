'use client';

import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { FieldFrame } from '@/app/_components/field-frame';
import { SelectField } from '@/app/_components/select-field';
import { TextAreaField } from '@/app/_components/text-area-field';
import { TextField } from '@/app/_components/text-field';
import { formatRequest } from '@/lib/explain/format-request';
import { type ParsedConnection, parseConnection } from '@/lib/explain/parse-connection';
import { parseRequest, requestForms } from '@/lib/explain/parse-request';
import type { ExplainRequest } from '@/lib/requests/request';
import { type RequestTexts, requestTextsOf } from './search-params';

interface RequestBarProps {
  readonly texts: RequestTexts;
  readonly onChoose: (texts: RequestTexts) => void;
  /** The parts of the request and the connection are left to the page that explains it. */
  readonly isShort?: boolean;
}

/** One text in any form of a request, its parts, and what is known of the connection. */
export function RequestBar({ texts, ...props }: RequestBarProps) {
  const chosen = requestTextsOf(texts);
  // A request that comes from elsewhere replaces the typed text.
  return <RequestForm key={JSON.stringify(chosen)} chosen={chosen} {...props} />;
}

interface RequestFormProps extends Omit<RequestBarProps, 'texts'> {
  readonly chosen: RequestTexts;
}

function RequestForm({ chosen, onChoose, isShort = false }: RequestFormProps) {
  const [texts, setTexts] = useState(chosen);
  const change = (next: Partial<RequestTexts>) => setTexts({ ...texts, ...next });
  const { request: text } = texts;
  const parsed = parseRequest(text);
  const connection = parseConnection(texts);
  const error = text.trim() === '' || parsed.ok ? '' : parsed.message;
  const isReady = parsed.ok && connection.ok;
  return (
    <form
      aria-label="Request to explain"
      className="@container border-b border-line px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onChoose({ ...texts, request: text.trim() });
      }}
    >
      <div className="flex flex-wrap items-start gap-2">
        <FieldFrame label="Request" error={error} className="flex-[1_1_18rem]">
          {(attributes) => (
            <input
              {...attributes}
              value={text}
              onChange={(event) => change({ request: event.target.value })}
              placeholder={requestForms[0]}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-raised px-2.5 font-mono text-medium placeholder:text-muted aria-invalid:border-nacked"
            />
          )}
        </FieldFrame>
        <div className="pt-[1.4rem]">
          <Button type="submit" tone="accent" isDisabled={!isReady}>
            Explain
          </Button>
        </div>
      </div>
      {!isShort && (
        <>
          <p className="note mt-1 break-words">Understands {requestForms.slice(1).join('; ')}.</p>
          <div className="mt-1 flex flex-col gap-1">
            {parsed.ok && (
              <RequestParts
                request={parsed.request}
                onChange={(request) => change({ request: formatRequest(request) })}
              />
            )}
            <ConnectionFields texts={texts} parsed={connection} onChange={change} />
          </div>
        </>
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

interface ConnectionFieldsProps {
  readonly texts: RequestTexts;
  readonly parsed: ParsedConnection;
  readonly onChange: (change: Partial<RequestTexts>) => void;
}

const tlsChoices = [
  { value: '', label: 'As the scheme' },
  { value: 'yes', label: 'TLS' },
  { value: 'no', label: 'Plaintext' },
] as const;

const fields = [
  { name: 'source', label: 'Source address', placeholder: '10.1.2.3' },
  { name: 'destination', label: 'Destination', placeholder: '10.0.0.1:443 or :443' },
  { name: 'sni', label: 'SNI', placeholder: 'Host of the authority' },
  { name: 'alpn', label: 'ALPN', placeholder: 'h2,http/1.1' },
] as const;

/** What is known of the connection, which decides between filter chains. */
function ConnectionFields({ texts, parsed, onChange }: ConnectionFieldsProps) {
  const stated = fields.filter(({ name }) => texts[name].trim() !== '').map(({ label }) => label);
  const all = [...stated, ...(texts.tls === '' ? [] : ['TLS'])];
  return (
    <details open={!parsed.ok || undefined}>
      <summary className="note min-h-6 cursor-pointer">
        Connection: {all.length === 0 ? 'as the listener and the scheme imply' : `${all.join(', ')} given`}
      </summary>
      <div className="mt-2 grid grid-cols-1 gap-2 @md:grid-cols-2 @3xl:grid-cols-5">
        {fields.map(({ name, label, placeholder }) => (
          <TextField
            key={name}
            label={label}
            isMono
            placeholder={placeholder}
            value={texts[name]}
            error={!parsed.ok && parsed.field === name ? parsed.message : ''}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
        <SelectField
          label="TLS"
          value={texts.tls}
          options={tlsChoices}
          onChange={(tls) => onChange({ tls })}
        />
      </div>
    </details>
  );
}
