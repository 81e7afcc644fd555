'use client';

import { SelectField } from '../../_components/select-field';
import { TextAreaField } from '../../_components/text-area-field';
import { TextField } from '../../_components/text-field';
import { ModeFields } from './mode-fields';
import { apiVersionChoices, transportChoices } from './source-choices';
import type { SourceDraft } from './source-draft';

interface AdsFieldsProps {
  readonly draft: SourceDraft;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

/** What our own client asks for, and how. */
export function AdsFields({ draft, onChange, errorAt }: AdsFieldsProps) {
  return (
    <>
      <div className="grid gap-4 min-[30rem]:grid-cols-2">
        <SelectField
          label="Transport"
          value={draft.transport}
          options={transportChoices}
          onChange={(transport) => onChange({ transport })}
          error={errorAt('settings.transport')}
        />
        <SelectField
          label="API version"
          value={draft.apiVersion}
          options={apiVersionChoices}
          onChange={(apiVersion) => onChange({ apiVersion })}
          error={errorAt('settings.apiVersion')}
        />
      </div>
      {draft.transport !== 'rest' && (
        <label className="flex items-start gap-2 text-[0.9286rem]">
          <input
            type="checkbox"
            checked={draft.crossCheck}
            onChange={(event) => onChange({ crossCheck: event.target.checked })}
            className="mt-1"
          />
          <span>
            Ask in the other variant, too
            <span className="block text-[0.8571rem] text-muted">
              State of the world and delta, as two sources: where the server sends them different resources is
              a finding.
            </span>
          </span>
        </label>
      )}
      <TextAreaField
        label="Listeners (optional)"
        value={draft.listeners}
        onChange={(listeners) => onChange({ listeners })}
        rows={2}
        placeholder="xds:///shop.example"
        description="One on a line: names, or targets as clients have them. With none, everything that the server offers."
        error={errorAt('settings.listeners')}
      />
      {draft.from === 'bootstrap' && (
        <TextAreaField
          label="Server listeners (optional)"
          value={draft.serverListeners}
          onChange={(serverListeners) => onChange({ serverListeners })}
          rows={2}
          placeholder="0.0.0.0:8080"
          description="One on a line: addresses that a gRPC server listens on. The bootstrap’s server_listener_resource_name_template makes names of them."
          error={errorAt('settings.serverListeners')}
        />
      )}
      <TextField
        label="Node id (optional)"
        value={draft.nodeId}
        onChange={(nodeId) => onChange({ nodeId })}
        description="As whom the server sees the probe. Without one the bootstrap’s, or one of xdscope’s own."
        error={errorAt('settings.nodeId')}
      />
      <ModeFields value={draft} onChange={onChange} errorAt={(field) => errorAt(`settings.${field}`)} />
    </>
  );
}
