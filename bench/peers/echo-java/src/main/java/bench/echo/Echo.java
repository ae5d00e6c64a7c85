package bench.echo;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

@Group("bench.dev")
@Version("v1")
@Kind("Echo")
@Plural("echoes")
public final class Echo extends CustomResource<Echo.Spec, Echo.Status> implements Namespaced {
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Spec(String text, Integer n) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Status(Long observedGeneration, String phase, List<Condition> conditions) {}

  @Override
  protected Spec initSpec() {
    return null;
  }

  @Override
  protected Status initStatus() {
    return null;
  }
}
