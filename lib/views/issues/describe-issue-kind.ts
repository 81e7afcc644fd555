import type { CertificateOfIssue, IssueCause, IssuePeriod } from '../../issues/issue-record';
import { possibleServer } from '../../issues/read-issue-causes';
import { knownBugs } from '../../known-bugs/known-bugs';
import type { TearKind } from '../../resolve/tear-kind';
import { titleOfRule } from '../../validate/rules';
import { EDS, formatResourceType, LDS, resourceTypes, SDS } from '../../xds/resource-type';
import { tearTexts } from '../resolved/tear-texts';

/** The rule of a cluster whose hosts are all excluded. */
export const noUsableHost = 'no-usable-host';
/** The cluster has usable hosts, and none in the subsets that the routes of the listener want. */
export const noHostInSubset = 'no-host-in-subset';

/**
 * The title of an issue, and what to do next. The title follows from the cause, so that it does not change with the clients that
 * have the issue, unless none of them is known to run the config.
 */
export function describeIssueKind(
  cause: IssueCause,
  periods: readonly Pick<IssuePeriod, 'keepsAccepted' | 'impact'>[] = [],
): { readonly title: string; readonly nextStep: string } {
  const { kind, typeUrl, name, isTimeout, rule = '', text, certificate } = cause;
  const resource = nameResource(typeUrl, name);
  const keepsAccepted = periods.some((each) => each.keepsAccepted === true);
  const isHypothetical = periods.length > 0 && periods.every(({ impact }) => impact?.isHypothetical);
  switch (kind) {
    case 'nack':
      return {
        title: `${resource} is rejected`,
        nextStep: `Correct the rejected field on the management server${keepsAccepted ? ', or send the payload again that was accepted' : ''}.`,
      };
    case 'absent':
      return isTimeout === true
        ? {
            title: `${resource} was not received before the resource timer expired`,
            nextStep: 'Check why the management server does not answer the request for this resource.',
          }
        : {
            title: `${resource} does not exist`,
            nextStep:
              typeUrl === LDS.typeUrl
                ? 'Let the management server send this listener to the client again, or correct the target that the client dials.'
                : 'Let the management server send this resource again, or remove the references to it.',
          };
    case 'received-error':
      return {
        title: `The management server reports an error for ${lowerFirst(resource)}`,
        nextStep: 'Read the error in the resource; the log of the management server has its cause.',
      };
    case 'unanswered':
      return {
        title: `${formatResourceType(typeUrl)} responses are not acknowledged`,
        nextStep:
          'Check whether the client is connected to this management server, and whether it is overloaded.',
      };
    case 'unreached':
      return {
        title: `No response for ${formatResourceType(typeUrl)} resources`,
        nextStep:
          'Find out why: add a channelz source for a gRPC client, or the admin interface of an Envoy, which report whether it is connected. Check the server URI in its bootstrap.',
      };
    case 'unreachable':
      if (rule === possibleServer)
        return {
          title: `${name} is unreachable, and may be the management server`,
          nextStep:
            'Compare the address with the server URI in the bootstrap of the client. If it is a management server, a probe of it lets xdscope know the channel.',
        };
      return {
        title: `${name === '' ? 'The management server' : `Management server ${name}`} is unreachable`,
        nextStep:
          'Check whether the server listens on this address, and whether the client can connect to it: DNS, firewall, TLS.',
      };
    case 'tear':
      return {
        title: `Config tear: ${tearTexts[rule as TearKind]}: ${lowerFirst(resource)}`,
        nextStep:
          'Let the management server send the missing resource, and send what a resource references before the resource itself.',
      };
    case 'finding':
      return {
        title: `${resource} is accepted and breaks rule ${rule}: ${titleOfRule(rule)}`,
        nextStep: 'Correct the field on the management server: the client does not reject it.',
      };
    case 'unserved':
      if (rule === noUsableHost)
        return {
          title: `${resource} has no usable host`,
          nextStep:
            'Connections lists each host with the check that excludes it: repair the hosts, or correct the check. Without one, EDS states their health.',
        };
      if (rule === noHostInSubset)
        return {
          title: `${resource} has no usable host with the metadata that routes want`,
          nextStep:
            'Correct metadata_match of the routes, or the metadata of the endpoints: the effective config lists which requests find which hosts.',
        };
      return {
        title: `${resource} ${isHypothetical ? 'would serve' : 'serves'} nothing`,
        nextStep:
          typeUrl === LDS.typeUrl
            ? 'Open the effective config of the listener: it names the resource that is missing.'
            : 'Check the endpoints of the cluster and their health: the effective config lists each with the reason.',
      };
    case 'certificate':
      return {
        title: `${nameCertificate(cause)} ${certificate?.isExpired ? 'has expired' : 'expires soon'}`,
        nextStep: nextStepOfCertificate(cause),
      };
    case 'notice':
      return {
        title: `Known bug: ${lowerFirst(text)}`,
        nextStep:
          knownBugs.find(({ id }) => id === rule)?.nextStep ??
          'Update the client to a release without this bug; Validation states what ends it until then.',
      };
  }
}

/** As in "Cluster cart"; the service of the type for other types. */
export function nameResource(typeUrl: string, name: string): string {
  // Its noun is a plural.
  const noun =
    typeUrl === EDS.typeUrl ? 'EDS resource' : resourceTypes.find((type) => type.typeUrl === typeUrl)?.noun;
  const shown =
    noun === undefined ? formatResourceType(typeUrl) : noun.charAt(0).toUpperCase() + noun.slice(1);
  return name === '' ? `${formatResourceType(typeUrl)} response` : `${shown} ${name}`;
}

function nameCertificate({ typeUrl, name: secret, certificate }: IssueCause): string {
  const what = certificate?.role === 'ca' ? 'The trusted authority' : 'The certificate';
  if (typeUrl === SDS.typeUrl) return `${what} in secret ${secret}`;
  return isFile(certificate) ? `${what} in ${certificate?.path}` : `${what} in the config`;
}

/** Envoy states "<inline>" in place of a file. */
function isFile(certificate: CertificateOfIssue | undefined): boolean {
  return certificate?.path.startsWith('/') === true;
}

function nextStepOfCertificate({ typeUrl, certificate }: IssueCause): string {
  if (certificate?.capturedAt !== undefined)
    return 'The certificate is judged at the time at which the file was captured. Capture the client again to see whether it has been renewed.';
  if (typeUrl === SDS.typeUrl)
    return 'Check whether the certificate was renewed, and whether the SDS server sends the new one to the client.';
  return isFile(certificate)
    ? 'Replace the file. Envoy reads it again after a restart, or if the secret that names it has a watched directory.'
    : 'Renew the certificate, and let the management server send the listener or cluster that contains it.';
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
