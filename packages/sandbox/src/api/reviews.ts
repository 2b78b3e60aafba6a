import { randomBytes } from "node:crypto";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { checkKind, decodeObject } from "./decode-object.ts";
import { type KubeObject, listAt, type Tree, timeText, treeAt } from "./kube-object.ts";
import { trackFields } from "./track-fields.ts";

/** Whoever has the token is the administrator. */
const administrator = { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };

type Review = (object: KubeObject, context: ApiContext) => unknown;

const allowed: Review = () => ({ allowed: true });

const reviews: Readonly<Record<string, Review>> = {
  "selfsubjectaccessreviews.authorization.k8s.io": allowed,
  "subjectaccessreviews.authorization.k8s.io": allowed,
  "localsubjectaccessreviews.authorization.k8s.io": allowed,
  "selfsubjectrulesreviews.authorization.k8s.io": () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  }),
  "tokenreviews.authentication.k8s.io": () => ({ authenticated: true, user: administrator }),
  "selfsubjectreviews.authentication.k8s.io": (object, { clock }) => {
    object.metadata.creationTimestamp = timeText(clock.now());
    return { userInfo: administrator };
  },
};

/** Answers a question that is asked by creating an object; undefined when the type is no question. */
export function answerReview(
  context: ApiContext,
  target: Target,
  input: Tree,
  options: WriteOptions,
): KubeObject | undefined {
  const review = reviews[target.type.bucket];
  if (!review) return undefined;
  checkKind(context, target.type, input);
  const object = decodeObject(context, target.type, input, options);
  trackFields(context, target, { object, old: undefined }, options);
  object["status"] = review(object, context);
  return object;
}

const defaultTokenSeconds = 3600;

/** A token for a service account. It is accepted nowhere: whoever talks to the sandbox has the administrator's. */
export function requestToken(context: ApiContext, input: Tree): Tree {
  const seconds = Number(treeAt(input, "spec")?.["expirationSeconds"] ?? defaultTokenSeconds);
  const expires = new Date(context.clock.now().getTime() + seconds * 1000);
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: timeText(context.clock.now()) },
    spec: { audiences: listAt(input, "spec", "audiences"), expirationSeconds: seconds, boundObjectRef: null },
    status: { token: randomBytes(32).toString("base64url"), expirationTimestamp: timeText(expires) },
  };
}
