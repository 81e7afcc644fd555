'use client';

import { useState } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TextAreaField } from '@/app/_components/text-area-field';
import { TextField } from '@/app/_components/text-field';
import { TimeAgo } from '@/app/_components/time-ago';
import { describeConfiguration } from '@/lib/interop/describe-test-client';
import { behaviorForms, rpcBehaviorKey } from '@/lib/interop/rpc-behavior';
import { type RpcType, rpcTypes } from '@/lib/observation/rpc-types';
import { formatMetadataLines, parseMetadataLines } from '@/lib/views/test-client/metadata-lines';
import type { TestClientPage } from '@/lib/views/test-client/schema';

interface ConfigurationFormProps {
  readonly configuration: TestClientPage['configuration'];
  readonly isLive: boolean;
}

/** Shows the newest configuration by xdscope, and sends another one. */
export function ConfigurationForm({ configuration, isLive }: ConfigurationFormProps) {
  return (
    <>
      <p className="note pb-2 break-words">
        {configuration === undefined ? (
          'xdscope has not configured this client: it sends what its command line states.'
        ) : (
          <>
            Configured by xdscope <TimeAgo at={configuration.at} />: {describeConfiguration(configuration)}.
          </>
        )}
      </p>
      {isLive && <Form configuration={configuration} />}
    </>
  );
}

function Form({ configuration }: Pick<ConfigurationFormProps, 'configuration'>) {
  const { client } = useClientViewData();
  const send = useCommand('PUT clients/{id}/test-client/configuration');
  const [types, setTypes] = useState<readonly RpcType[]>(configuration?.types ?? ['UNARY_CALL']);
  const [lines, setLines] = useState(formatMetadataLines(configuration?.metadata ?? []));
  const [timeout, setTimeout] = useState(
    configuration?.timeoutMs === undefined ? '' : String(configuration.timeoutMs / 1000),
  );
  const parsed = parseMetadataLines(lines, types);
  const timeoutSeconds = timeout.trim() === '' ? undefined : Number(timeout);
  const isTimeout = timeoutSeconds === undefined || Number.isInteger(timeoutSeconds);

  function submit(): void {
    if (!parsed.ok || !isTimeout) return;
    const metadata = parsed.metadata.map((entry) => ({ ...entry }));
    send.mutate({
      ...{ id: client.id, types: [...types], metadata },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
  }

  return (
    <form
      aria-label="Configure the RPCs of the client"
      className="flex max-w-3xl flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <StaleBanner>
        This changes what a running program does: the client replaces its RPCs, metadata and timeout for
        everybody who uses it.
      </StaleBanner>
      <fieldset className="flex flex-wrap gap-x-5">
        <legend className="note font-medium">RPCs</legend>
        {rpcTypes.map((type) => (
          <label key={type} className="inline-flex items-center gap-1.5 font-mono">
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={({ target }) =>
                setTypes(rpcTypes.filter((each) => (each === type ? target.checked : types.includes(each))))
              }
            />
            {type}
          </label>
        ))}
      </fieldset>
      <TextAreaField
        label="Metadata"
        value={lines}
        onChange={setLines}
        rows={3}
        placeholder={`UNARY_CALL ${rpcBehaviorKey}: error-code-14`}
        description="One entry per line: the type of RPC, the key, a colon, and the value."
        error={parsed.ok ? undefined : parsed.reason}
      />
      {parsed.ok && parsed.warnings.length > 0 && (
        <p className="note text-nacked">{parsed.warnings.join(' ')}</p>
      )}
      <details className="note">
        <summary>Options of {rpcBehaviorKey}, with commas between them</summary>
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 pt-1">
          {behaviorForms.map(({ form, text }) => (
            <div key={form} className="contents">
              <dt className="font-mono">{form}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </details>
      <TextField
        label="Timeout of each RPC, seconds"
        value={timeout}
        onChange={setTimeout}
        placeholder="the client’s own"
        error={isTimeout ? undefined : `Expected a whole number of seconds, got ${JSON.stringify(timeout)}.`}
        className="max-w-56"
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" tone="danger" isPending={send.isPending}>
          Configure the client
        </Button>
        <ErrorLine error={send.error} />
      </div>
    </form>
  );
}
