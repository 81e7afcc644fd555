'use client';

import { SelectField } from '../../_components/select-field';
import { TextField } from '../../_components/text-field';
import { securityChoices } from './source-choices';
import type { SourceDraft } from './source-draft';

interface SecurityFieldsProps {
  readonly draft: SourceDraft;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

/** Files are named, never sent: they are read where xdscope runs, and read anew while it runs. */
export function SecurityFields({ draft, onChange, errorAt }: SecurityFieldsProps) {
  return (
    <>
      <SelectField
        label="Security"
        value={draft.security}
        options={securityChoices}
        onChange={(security) => onChange({ security })}
        error={errorAt('settings.tls')}
      />
      {draft.security !== 'plain' && (
        <TextField
          label="CA certificate file (optional)"
          value={draft.caCertificateFile}
          onChange={(caCertificateFile) => onChange({ caCertificateFile })}
          placeholder="/etc/mesh/ca.pem"
          description="On the machine that xdscope runs on; the system’s authorities where it is left out."
          error={errorAt('settings.tls.caCertificateFile')}
          isMono
        />
      )}
      {draft.security !== 'plain' && (
        <TextField
          label="Server name (optional)"
          value={draft.serverName}
          onChange={(serverName) => onChange({ serverName })}
          placeholder="istiod.istio-system.svc"
          description="Whom its certificate has to name, where that is not the host above: behind a port-forward, say."
          error={errorAt('settings.tls.serverName')}
          isMono
        />
      )}
      {draft.security === 'mtls' && (
        <div className="grid gap-4 min-[30rem]:grid-cols-2">
          <TextField
            label="Certificate file"
            value={draft.certificateFile}
            onChange={(certificateFile) => onChange({ certificateFile })}
            placeholder="/etc/mesh/cert.pem"
            error={errorAt('settings.tls.certificateFile')}
            isMono
          />
          <TextField
            label="Private key file"
            value={draft.privateKeyFile}
            onChange={(privateKeyFile) => onChange({ privateKeyFile })}
            placeholder="/etc/mesh/key.pem"
            error={errorAt('settings.tls.privateKeyFile')}
            isMono
          />
        </div>
      )}
    </>
  );
}
