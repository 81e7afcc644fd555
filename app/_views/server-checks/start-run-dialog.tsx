'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { useItems } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { Dialog } from '@/app/_components/dialog';
import { ErrorLine } from '@/app/_components/error-line';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { SelectField } from '@/app/_components/select-field';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TextField } from '@/app/_components/text-field';
import { ApiError } from '@/app/_hooks/api-error';
import type { ServerCheckJson } from '@/lib/views/server-checks/schema';
import { serverChecksHref } from './search-params';

const subjects = [
  { value: 'server', label: 'My server, read only' },
  { value: 'lab', label: 'Server of the lab' },
] as const;

interface StartRunDialogProps {
  readonly checks: readonly ServerCheckJson[];
  readonly onClose: () => void;
}

export function StartRunDialog({ checks, onClose }: StartRunDialogProps) {
  const [subject, setSubject] = useState<(typeof subjects)[number]['value']>('server');
  const [target, setTarget] = useState('');
  const [nodeId, setNodeId] = useState('');
  const [nodePreset, setNodePreset] = useState('');
  const [security, setSecurity] = useState('plain');
  const [isRejecting, setRejecting] = useState(false);
  const start = useCommand('POST interop/server-checks');
  const router = useRouter();
  const { data: credentials = [] } = useItems('credentials', {});
  const isServer = subject === 'server';
  const readOnly = checks.filter(({ changesConfig }) => !changesConfig);
  const rejecting = readOnly.filter(({ sendsNack }) => sendsNack);
  const errorAt = (field: string) =>
    start.error instanceof ApiError && start.error.field === field ? start.error.message : undefined;
  const isFieldError = ['target', 'settings.nodePreset', 'settings.credentials'].some(
    (field) => errorAt(field) !== undefined,
  );

  function submit(): void {
    const settings = {
      ...(nodeId.trim() !== '' && { nodeId: nodeId.trim() }),
      ...(nodePreset.trim() !== '' && { nodePreset: nodePreset.trim() }),
      ...(security === 'tls' && { tls: {} }),
      ...(security.startsWith('credentials:') && { credentials: security.slice('credentials:'.length) }),
    };
    start.mutate(
      isServer ? { target: target.trim(), settings, mayReject: isRejecting } : { mayReject: true },
      {
        onSuccess: ({ id }) => {
          onClose();
          router.push(serverChecksHref({ run: id }));
        },
      },
    );
  }

  return (
    <Dialog title="Check a management server" isOpen onClose={onClose} widthPx={560}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SegmentedChoice label="Server" value={subject} options={subjects} onChange={setSubject} />
        {isServer ? (
          <>
            <TextField
              label="Address"
              value={target}
              onChange={setTarget}
              placeholder="127.0.0.1:15010"
              description={`host:port. ${readOnly.length} of ${checks.length} checks change nothing: they open streams of their own, one check after the other.`}
              error={errorAt('target')}
              isRequired
              isMono
              takesFocus
            />
            <SelectField
              label="Security"
              value={security}
              onChange={setSecurity}
              options={[
                { value: 'plain', label: 'Plain text' },
                { value: 'tls', label: 'TLS, with the certificate authorities of the system' },
                ...credentials.map(({ name }) => ({
                  value: `credentials:${name}`,
                  label: `Credentials ${name}`,
                })),
              ]}
              error={errorAt('settings.credentials')}
            />
            <TextField
              label="Node preset (optional)"
              value={nodePreset}
              onChange={setNodePreset}
              placeholder="istio:NAME.NAMESPACE"
              description="istio:NAME.NAMESPACE, istio-grpc:NAME.NAMESPACE or envoy-gateway:NAMESPACE/GATEWAY"
              error={errorAt('settings.nodePreset')}
              isMono
            />
            <TextField
              label="Node id (optional)"
              value={nodeId}
              onChange={setNodeId}
              placeholder="xdscope-check-S1, one for each check"
              isMono
            />
            <label className="flex items-start gap-2 text-medium">
              <input
                type="checkbox"
                checked={isRejecting}
                onChange={({ target: box }) => setRejecting(box.checked)}
                className="mt-1"
              />
              Also reject responses ({rejecting.map(({ id }) => id).join(', ')})
            </label>
            {isRejecting && (
              <StaleBanner>
                These checks send a NACK: the server logs it, counts it in its metrics, and may alert
                somebody.
              </StaleBanner>
            )}
          </>
        ) : (
          <p className="note">
            All {checks.length} checks, at a management server of the lab that is started for the run. The
            clients of the lab do not see it.
          </p>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            type="submit"
            tone={isServer && isRejecting ? 'danger' : 'accent'}
            isPending={start.isPending}
            isDisabled={isServer && target.trim() === ''}
          >
            {isServer && isRejecting ? 'Check, and send NACKs' : 'Check'}
          </Button>
          {!isFieldError && <ErrorLine error={start.error} />}
        </div>
      </form>
    </Dialog>
  );
}
