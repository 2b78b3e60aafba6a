import type { ApiContext } from "../api/context.ts";
import { isTree, type KubeObject, listAt, textAt, treeAt } from "../api/kube-object.ts";
import { type FieldError, invalid } from "../schema/field-error.ts";
import { objectOf } from "../storage/entry.ts";

/** What the services of one cluster have been given. Kept up to date from the store itself. */
interface Taken {
  readonly addresses: Map<string, string>;
  readonly ports: Map<number, string>;
}

const takenOf = new WeakMap<ApiContext, Taken>();
const firstPort = 30000;
const lastPort = 32767;
const addressCount = 65534;

function taken(context: ApiContext): Taken {
  let known = takenOf.get(context);
  if (known) return known;
  known = { addresses: new Map(), ports: new Map() };
  takenOf.set(context, known);
  const note = (object: KubeObject, isThere: boolean) => {
    const owner = `${object.metadata.namespace}/${object.metadata.name}`;
    const set = <K>(map: Map<K, string>, key: K) => (isThere ? map.set(key, owner) : map.delete(key));
    for (const address of listAt(object, "spec", "clusterIPs") as string[])
      if (address !== "None") set(known.addresses, address);
    for (const port of listAt(object, "spec", "ports")) {
      const number = isTree(port) ? port["nodePort"] : undefined;
      if (typeof number === "number" && number !== 0) set(known.ports, number);
    }
  };
  for (const entry of context.store.list("services")) note(objectOf(entry), true);
  context.store.listen(({ bucket, type, entry, previous }) => {
    if (bucket !== "services") return;
    if (previous) note(objectOf(previous), false);
    if (type !== "DELETED") note(objectOf(entry), true);
  });
  return known;
}

const ownerOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;

/** Gives a service its cluster address, or checks the one it asks for. */
export function takeAddress(object: KubeObject, _old: KubeObject | undefined, context: ApiContext): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  if (textAt(spec, "type") === "ExternalName") return [];
  const asked = textAt(spec, "clusterIP");
  const { addresses } = taken(context);
  if (asked === "None") {
    spec["clusterIPs"] = ["None"];
    return [];
  }
  if (asked !== "") {
    const owner = addresses.get(asked);
    if (owner !== undefined && owner !== ownerOf(object)) return [ipProblem(asked, "provided IP is already allocated")];
    if (!/^10\.96\.\d+\.\d+$/.test(asked)) {
      const text = `failed to allocate IP ${asked}: the provided network does not match the current range`;
      return [invalid("spec.clusterIPs", [asked], text)];
    }
    spec["clusterIPs"] = [asked];
    return [];
  }
  const address = freeAddress(context, addresses);
  spec["clusterIP"] = address;
  spec["clusterIPs"] = [address];
  return [];
}

const ipProblem = (address: string, why: string) =>
  invalid("spec.clusterIPs", [address], `failed to allocate IP ${address}: ${why}`);

function freeAddress(context: ApiContext, addresses: ReadonlyMap<string, string>): string {
  for (;;) {
    const number = 2 + (Number.parseInt(context.newUid().slice(0, 8), 16) % (addressCount - 2));
    const address = `10.96.${number >>> 8}.${number & 0xff}`;
    if (!addresses.has(address)) return address;
  }
}

/** Gives a service its node ports, or checks those it asks for. */
export function takePorts(object: KubeObject, context: ApiContext): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  const type = textAt(spec, "type");
  const wanted = type === "NodePort" || (type === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] !== false);
  const { ports } = taken(context);
  const own = new Set<number>();
  for (const [index, port] of listAt(spec, "ports").filter(isTree).entries()) {
    const asked = port["nodePort"];
    if (typeof asked === "number" && asked !== 0) {
      const owner = ports.get(asked);
      const field = `spec.ports[${index}].nodePort`;
      if (owner !== undefined && owner !== ownerOf(object))
        return [invalid(field, asked, "provided port is already allocated")];
      if (asked < firstPort || asked > lastPort) {
        return [
          invalid(
            field,
            asked,
            `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`,
          ),
        ];
      }
      own.add(asked);
    } else if (wanted) {
      const number = freePort(context, ports, own);
      port["nodePort"] = number;
      own.add(number);
    }
  }
  return [];
}

function freePort(context: ApiContext, ports: ReadonlyMap<number, string>, own: ReadonlySet<number>): number {
  for (;;) {
    const number = firstPort + (Number.parseInt(context.newUid().slice(0, 8), 16) % (lastPort - firstPort + 1));
    if (!ports.has(number) && !own.has(number)) return number;
  }
}
