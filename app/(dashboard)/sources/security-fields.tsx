'use client';

import { SelectField } from '../../_components/select-field';
import { TextField } from '../../_components/text-field';
import { useCredentials } from '../../_hooks/queries';
import { securityChoices } from './source-choices';
import type { SourceDraft } from './source-draft';

interface SecurityFieldsProps {
  readonly draft: SourceDraft;
  readonly isBootstrap: boolean;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

/** How the connections are secured. Files have no place here: they are in the config file, as credentials with a name. */
export function SecurityFields({ draft, isBootstrap, onChange, errorAt }: SecurityFieldsProps) {
  const { data: credentials = [], error } = useCredentials();
  const choices = securityChoices(credentials, isBootstrap);
  // What was chosen for the other way to name servers may not be a choice here.
  const chosen = choices.find(({ value }) => value === draft.security) ?? choices[0];
  const isWithoutCredentials = credentials.length === 0;
  const none = error === null ? 'The config file has no credentials.' : 'The credentials could not be read.';
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
      {draft.security === 'tls' && !isBootstrap && (
        <TextField
          label="Server name (optional)"
          value={draft.serverName}
          onChange={(serverName) => onChange({ serverName })}
          placeholder="istiod.istio-system.svc"
          description="The name that the server’s certificate must have, where it is not the host above, as behind a port-forward."
          error={errorAt('settings.tls.serverName')}
          isMono
        />
      )}
    </>
  );
}
