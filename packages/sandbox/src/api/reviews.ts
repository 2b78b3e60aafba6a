import { administrator } from "./administrator.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { checkKind, decodeObject } from "./decode-object.ts";
import { type KubeObject, type Tree, timeText } from "./kube-object.ts";
import { trackFields } from "./track-fields.ts";

const healthPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const describingPaths = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...healthPaths].toSorted();

/** What a cluster's administrator may do, with what every user may. */
const administratorRules = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    {
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ],
  nonResourceRules: [
    { verbs: ["*"], nonResourceURLs: ["*"] },
    { verbs: ["get"], nonResourceURLs: describingPaths },
    { verbs: ["get"], nonResourceURLs: healthPaths },
  ],
  incomplete: false,
};

type Review = (object: KubeObject, context: ApiContext) => unknown;

const allowed: Review = () => ({ allowed: true });

const reviews: Readonly<Record<string, Review>> = {
  "selfsubjectaccessreviews.authorization.k8s.io": allowed,
  "subjectaccessreviews.authorization.k8s.io": allowed,
  "localsubjectaccessreviews.authorization.k8s.io": allowed,
  "selfsubjectrulesreviews.authorization.k8s.io": (object) => {
    object["spec"] = {};
    delete object.metadata.managedFields;
    return administratorRules;
  },
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
