'use client';

import { useState } from 'react';
import type { RecordedSubject } from '@/app/_ask/client-subject';
import { useProof } from '@/app/_ask/proof';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import { saveFile } from '@/app/_components/save-file';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { SelectField } from '@/app/_components/select-field';
import { GlyphMark } from '@/app/_components/shape-mark';
import { formatCounted } from '@/lib/format/count';
import type { Explanation } from '@/lib/views/explain/schema';
import { buildReport } from '@/lib/views/prove/build-report';
import { chooseProgram, isProgramOf } from '@/lib/views/prove/choose-program';
import { compareProof } from '@/lib/views/prove/compare-proof';
import { shapeOfComparison } from '@/lib/views/prove/comparison-shape';
import type { Proof } from '@/lib/views/prove/schema';
import { clientOf, nameOf } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';

interface ProofPanelProps {
  readonly subject: RecordedSubject;
  readonly explanation: Explanation;
}

/** Sends the request through a real Envoy or gRPC client that has the config of the client, and compares what it does. */
export function ProofPanel({ subject, explanation }: ProofPanelProps) {
  const proof = useProof(subject);
  const { branches, profile } = explanation;
  const isEnvoy = clientOf(profile) === 'envoy';
  const registered = useQuestion('twin-clients', {}, { enabled: !isEnvoy }).data?.items ?? [];
  const [chosen, setChosen] = useState('');
  const program = chosen || chooseProgram(profile, registered);
  const [deniedBy, setDeniedBy] = useState('');
  const services = [...new Set(branches.flatMap((each) => (each.isService && each.filter) || []))];
  const prove = (): void =>
    proof.mutate({
      ...{ ...provedRequest(explanation, isEnvoy), program, config: true },
      ...(deniedBy !== '' && { deniedBy }),
    });
  return (
    <section aria-label="Proof" className="border-b border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Button onPress={proof.isPending ? proof.stop : prove}>
          {proof.isPending ? 'Stop' : 'Prove it'}
        </Button>
        {registered.length > 1 && (
          <SelectField
            label="Program"
            value={program}
            options={registered.map(({ name, version }) => ({ value: name, label: `${name} ${version}` }))}
            onChange={setChosen}
            className="max-w-full"
          />
        )}
        {services.length > 0 && (
          <SelectField
            label="External services"
            value={deniedBy}
            options={[
              { value: '', label: 'All allow the request' },
              ...services.map((filter) => ({ value: filter, label: `That of ${filter} denies it` })),
            ]}
            onChange={setDeniedBy}
            className="max-w-full"
          />
        )}
        <p className="note min-w-0 flex-[1_1_16rem]" role="status">
          {proof.isPending
            ? 'Proving ...'
            : `Sends the request through ${isEnvoy ? 'an Envoy' : `a gRPC client (${program})`} on this machine that has the config of the client, with echo backends in place of its endpoints.`}
        </p>
      </div>
      <ErrorLine error={proof.error} className="mt-2" />
      {proof.data && <Result proof={proof.data} explanation={explanation} />}
    </section>
  );
}

/** The twin uses TLS for https alone. A gRPC client chooses the virtual host by the authority of its target. */
function provedRequest({ request: { connection, ...request }, start }: Explanation, isEnvoy: boolean) {
  const listener = start && { listener: start.listener };
  if (!isEnvoy) {
    const authority = start?.authority ?? start?.listener ?? request.authority;
    return { request: { ...request, authority }, ...listener };
  }
  const { isTls, ...rest } = connection ?? {};
  const scheme = isTls === undefined ? request.scheme : isTls ? ('https' as const) : ('http' as const);
  return { request: { ...request, scheme, ...(connection && { connection: rest }) }, ...listener };
}

function Result({ proof, explanation }: { readonly proof: Proof; readonly explanation: Explanation }) {
  const { program, times, services, rejected, unreported, changes, changesTotal, log } = proof;
  const steps = compareProof(explanation, proof);
  const isDifferent = steps.some(({ comparison }) => comparison === 'differs');
  return (
    <div className="mt-3 flex flex-col gap-2">
      <p className="font-medium">
        {program.name} {program.version}, {formatCounted(times, 'request')}:{' '}
        {isDifferent ? 'the observation differs from the trace.' : 'no step differs from the trace.'}
      </p>
      <ScrollFrame label="Trace and observation">
        <table className="w-full text-left text-medium">
          <thead className="text-muted">
            <tr>
              <th className="pr-4 font-medium">Step</th>
              <th className="pr-4 font-medium">Trace</th>
              <th className="pr-4 font-medium">Observation</th>
              <th className="font-medium">Comparison</th>
            </tr>
          </thead>
          <tbody>
            {steps.map(({ what, explained, observed, comparison }) => (
              <tr key={what} className="align-baseline">
                <th scope="row" className="pr-4 font-normal text-muted">
                  {what}
                </th>
                <td className="pr-4 break-words">{explained || 'Not stated'}</td>
                <td className="pr-4 break-words">{observed || 'Not observed'}</td>
                <td>
                  <GlyphMark shape={shapeOfComparison(comparison)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
      {program.name !== 'Envoy' && !isProgramOf(program.name, explanation.profile) && (
        <p className="note">
          The trace is that of {nameOf(explanation.profile)}, and the program is another gRPC client: the two
          may do different things with the same config.
        </p>
      )}
      {rejected.map(({ service, reason }) => (
        <p key={`${service} ${reason}`} className="text-small break-words text-nacked">
          {program.name} rejected a part of the config: {service}: {reason}
        </p>
      ))}
      {unreported > 0 && (
        <p className="note">
          {formatCounted(unreported, 'resource')} of this client had no part in the proof, because the content{' '}
          was not known.
        </p>
      )}
      {services.map(({ filter, answer }) => (
        <p key={filter} className="note wrap-anywhere">
          Changed for this proof: in place of the external service of filter {filter}, a stub{' '}
          {answer === 'allow' ? 'allows' : 'denies'} every request.
        </p>
      ))}
      <details>
        <summary className="note cursor-pointer">
          {formatCounted(changesTotal, 'change')} of the config for this proof
        </summary>
        <ul className="mt-1 flex flex-col gap-1 text-small">
          {changes.map(({ typeUrl, name, path, what, why }) => (
            <li key={`${typeUrl} ${name} ${path} ${what}`} className="wrap-anywhere">
              <span className="text-muted">
                {formatResourceType(typeUrl)} {name}
                {path !== '' && ` · ${path}`}:
              </span>{' '}
              {what}: {why}.
            </li>
          ))}
          {changes.length < changesTotal && (
            <li className="text-muted">{changesTotal - changes.length} more are not listed.</li>
          )}
        </ul>
      </details>
      <details>
        <summary className="note cursor-pointer">{program.name === 'Envoy' ? 'Access log' : 'RPCs'}</summary>
        <ScrollFrame label="What was logged" className="mt-1">
          <pre className="text-small">{log.join('\n')}</pre>
        </ScrollFrame>
      </details>
      <Button onPress={() => saveReport(proof, explanation)} className="self-start">
        Save as a bug report
      </Button>
    </div>
  );
}

function saveReport(proof: Proof, explanation: Explanation): void {
  const blob = new Blob([buildReport(proof, explanation)], { type: 'application/json' });
  saveFile(blob, 'xdscope-proof.json');
}
