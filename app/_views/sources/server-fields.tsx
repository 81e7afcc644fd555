'use client';

import { useItems } from '@/app/_ask/use-question';
import { CheckboxField } from '@/app/_components/checkbox-field';
import { SelectField } from '@/app/_components/select-field';
import { TextAreaField } from '@/app/_components/text-area-field';
import { TextField } from '@/app/_components/text-field';
import { formOf } from '@/lib/observation/source-kinds';
import { ChoiceCards } from './choice-cards';
import { securityChoices } from './source-choices';
import { readsBootstrap, readsServers, type SourceDraft } from './source-draft';

const fromChoices: readonly { value: SourceDraft['from']; label: string; text: string }[] = [
  { value: 'address', label: 'One server', text: 'A management server, by host and port.' },
  {
    value: 'bootstrap',
    label: 'A bootstrap',
    text: 'Servers, TLS and node of a client of gRPC, or of an Envoy.',
  },
];

export interface ServerFieldsProps {
  readonly draft: SourceDraft;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

export function ServerFields({ draft, onChange, errorAt }: ServerFieldsProps) {
  const { placeholder, parts } = formOf(draft.kind);
  const isBootstrap = readsBootstrap(draft);
  return (
    <>
      {parts.includes('probe') && (
        <ChoiceCards
          legend="Servers"
          name="from"
          value={draft.from}
          choices={fromChoices}
          onChange={(from) => onChange({ from })}
        />
      )}
      {isBootstrap && (
        <TextAreaField
          label="Bootstrap"
          value={draft.bootstrap}
          onChange={(bootstrap) => onChange({ bootstrap })}
          rows={6}
          placeholder='{"xds_servers": [{"server_uri": "127.0.0.1:15010", "channel_creds": [{"type": "insecure"}]}]}'
          description="Paste the JSON (of Envoy also YAML), drop the file here, or choose it. Files, Unix sockets, private keys and metadata in it are ignored and listed in the source."
          error={errorAt('bootstrap')}
          takesFiles
        />
      )}
      <TextField
        label={isBootstrap ? 'Address (optional)' : 'Address'}
        value={draft.target}
        onChange={(target) => onChange({ target })}
        placeholder={placeholder}
        description={
          isBootstrap
            ? 'host:port. Replaces the servers of the bootstrap, whose node and transport are still used.'
            : 'host:port'
        }
        error={errorAt('target')}
        isRequired={!isBootstrap}
        isMono
        takesFocus
      />
      {parts.includes('security') && <SecurityFields draft={draft} onChange={onChange} errorAt={errorAt} />}
      {parts.includes('channelz') && (
        <CheckboxField
          label="Also poll channelz"
          note="The connections of the client to its endpoints, as a source of its own. gRPC’s admin services serve it on the same port."
          isChecked={draft.channelz}
          onChange={(channelz) => onChange({ channelz })}
        />
      )}
      {parts.includes('node-id') && (
        <TextField
          label="Node ID"
          value={draft.nodeId}
          onChange={(nodeId) => onChange({ nodeId })}
          placeholder="sidecar~127.0.0.1~xdscope.istio-system~istio-system.svc.cluster.local"
          description="In the namespace of the certificate; empty: istio-system"
          error={errorAt('settings.nodeId')}
          isMono
        />
      )}
    </>
  );
}

/** Security of the connection. Certificate files can only be named in the config file, as credentials. */
function SecurityFields({ draft, onChange, errorAt }: ServerFieldsProps) {
  const { data: credentials = [], error } = useItems('credentials', {});
  const hasServers = readsServers(draft);
  const choices = securityChoices(credentials, hasServers);
  // The choice made for the other kind of server may not be available.
  const chosen = choices.find(({ value }) => value === draft.security) ?? choices[0];
  const isWithoutCredentials = credentials.length === 0;
  const none = error === null ? 'The config file defines no credentials.' : 'Couldn’t load the credentials.';
  return (
    <>
      <SelectField
        label="Security"
        value={chosen?.value ?? 'plain'}
        options={choices}
        onChange={(security) => onChange({ security })}
        description={
          <>
            {chosen?.text} {isWithoutCredentials && none}
          </>
        }
        error={errorAt('settings.credentials') ?? errorAt('settings.tls')}
      />
      {draft.security === 'tls' && !hasServers && (
        <TextField
          label="Server name (optional)"
          value={draft.serverName}
          onChange={(serverName) => onChange({ serverName })}
          placeholder="istiod.istio-system.svc"
          description="Expected certificate name (SNI), if it differs from the host, e.g. behind a port-forward."
          error={errorAt('settings.tls.serverName')}
          isMono
        />
      )}
    </>
  );
}
