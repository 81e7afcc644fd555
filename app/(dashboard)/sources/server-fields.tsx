'use client';

import { formOf } from '@/lib/view-model/sources/source-kind-facts';
import { TextAreaField } from '../../_components/text-area-field';
import { TextField } from '../../_components/text-field';
import { ChoiceCards } from './choice-cards';
import { SecurityFields } from './security-fields';
import { readsBootstrap, type SourceDraft } from './source-draft';

const fromChoices: readonly { value: SourceDraft['from']; label: string; text: string }[] = [
  { value: 'address', label: 'One server', text: 'A management server, by host and port.' },
  {
    value: 'bootstrap',
    label: 'A gRPC bootstrap',
    text: 'Servers, authorities, TLS and node, as a client’s file has them.',
  },
];

interface ServerFieldsProps {
  readonly draft: SourceDraft;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

/** Whom to ask. */
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
      {isBootstrap ? (
        <TextAreaField
          label="Bootstrap"
          value={draft.bootstrap}
          onChange={(bootstrap) => onChange({ bootstrap })}
          rows={6}
          placeholder='{"xds_servers": [{"server_uri": "127.0.0.1:15010", "channel_creds": [{"type": "insecure"}]}]}'
          description="Paste the JSON of GRPC_XDS_BOOTSTRAP, drop the file here, or choose it. Files and unix sockets that it names are ignored, and the source lists which."
          error={errorAt('bootstrap')}
          takesFiles
        />
      ) : (
        <TextField
          label="Address"
          value={draft.target}
          onChange={(target) => onChange({ target })}
          placeholder={placeholder}
          description="host:port"
          error={errorAt('target')}
          isRequired
          isMono
          autoFocus
        />
      )}
      {parts.includes('security') && (
        <SecurityFields draft={draft} isBootstrap={isBootstrap} onChange={onChange} errorAt={errorAt} />
      )}
      {parts.includes('node-id') && (
        <TextField
          label="Node id"
          value={draft.nodeId}
          onChange={(nodeId) => onChange({ nodeId })}
          placeholder="sidecar~127.0.0.1~xdscope.istio-system~istio-system.svc.cluster.local"
          description="Of the namespace that the certificate is of; istio-system where nothing is said"
          error={errorAt('settings.nodeId')}
          isMono
        />
      )}
    </>
  );
}
