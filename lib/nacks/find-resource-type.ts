import { type ResourceType, resourceTypes } from '../xds/resource-type';

/** By the message's last word: "Cluster", "ClusterLoadAssignment". */
export function findResourceTypeOfMessage(message: string): ResourceType | undefined {
  return resourceTypes.find(({ typeUrl }) => typeUrl.endsWith(`.${message}`));
}

/** By the service's abbreviation: "CDS". */
export function findResourceTypeOfService(service: string): ResourceType | undefined {
  return resourceTypes.find((type) => type.service === service);
}
