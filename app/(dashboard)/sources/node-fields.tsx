'use client';

import { TextAreaField } from '../../_components/text-area-field';
import { TextField } from '../../_components/text-field';
import type { SourceDraft } from './source-draft';

interface NodeFieldsProps {
  readonly draft: SourceDraft;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

/** The node that the probe sends. A control plane sends each node the resources of its clients. */
export function NodeFields({ draft, onChange, errorAt }: NodeFieldsProps) {
  return (
    <div className="grid gap-4 min-[30rem]:grid-cols-2">
      <TextField
        label="Node preset (optional)"
        value={draft.nodePreset}
        onChange={(nodePreset) => onChange({ nodePreset })}
        placeholder="istio:cart-1.shop"
        description="istio:NAME.NAMESPACE, istio-grpc:NAME.NAMESPACE or envoy-gateway:NAMESPACE/GATEWAY."
        error={errorAt('settings.nodePreset')}
        isMono
      />
      <TextField
        label="Node ID (optional)"
        value={draft.nodeId}
        onChange={(nodeId) => onChange({ nodeId })}
        description="Empty: that of the preset or bootstrap, or a generated one."
        error={errorAt('settings.nodeId')}
        isMono
      />
      <TextField
        label="Node cluster (optional)"
        value={draft.nodeCluster}
        onChange={(nodeCluster) => onChange({ nodeCluster })}
        error={errorAt('settings.nodeCluster')}
        isMono
      />
      <TextField
        label="Node locality (optional)"
        value={draft.nodeLocality}
        onChange={(nodeLocality) => onChange({ nodeLocality })}
        placeholder="region/zone/sub-zone"
        error={errorAt('settings.nodeLocality')}
        isMono
      />
      <div className="min-[30rem]:col-span-2">
        <TextAreaField
          label="Node metadata (optional)"
          value={draft.nodeMetadata}
          onChange={(nodeMetadata) => onChange({ nodeMetadata })}
          rows={2}
          placeholder='{"CLUSTER_ID": "east"}'
          description="The JSON of an object. It is added to that of the preset or bootstrap."
          error={errorAt('settings.nodeMetadata')}
        />
      </div>
    </div>
  );
}
